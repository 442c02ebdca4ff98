'use strict';
// A classic script: browsers load no modules from file://. Texts are untrusted: they reach the page only as text (no
// innerHTML), and addresses from data files only through ownAddress().
(() => {
const root = document.documentElement, body = document.body, main = $('main');
const pathOf = ({ href }) => href.split('#')[0];
const base = new URL('./' + (root.dataset.root || ''), pathOf(location));
const calm = matchMedia('(prefers-reduced-motion: reduce)');

function $(selector, from = document) { return from.querySelector(selector); }
const $$ = selector => [...document.querySelectorAll(selector)];
const byID = id => document.getElementById(id);
const { abs, cos, hypot, max, min, round, PI } = Math;
const clamp = (low, value, high) => max(low, min(high, value));
const on = (target, types, act, options) => types.split(' ').forEach(type => target.addEventListener(type, act, options));

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const name in properties) {
    if (name in element) element[name] = properties[name]; else element.setAttribute(name, properties[name]);
  }
  element.append(...children);
  return element;
}
const button = (className, title, onclick) => make('button', { type: 'button', className, title, ariaLabel: title, onclick });
const speaker = () => make('p', { className: 'status', role: 'status' });

const motion = (element, keyframes, duration) => calm.matches ? Promise.resolve()
  : element.animate(keyframes, { duration, easing: 'cubic-bezier(.2, .7, .2, 1)' }).finished.catch(() => {});

// A modal dialog makes the rest of the page inert, so it needs its own live region.
const announce = text => { ($('dialog[open] .status') || $('.status')).textContent = text; };

function press(e, actions) {
  if (e.altKey || e.ctrlKey || e.metaKey || !actions[e.key]) return;
  e.preventDefault();
  actions[e.key]();
}

// Returns the address of a file in the gallery; null for other addresses in data files.
function ownAddress(path) {
  if (!/^(pages|pictures)\/[^\\\s]+$/.test(path)) return null;
  const { href } = new URL(path, base);
  return href.startsWith(base.href) && !/%2f|%5c/i.test(href) ? href : null;
}

// MARK: Data files

// fetch() cannot read file://, so data files are scripts that call galleryData.
const loads = {}, arrivals = {};
window.galleryData = (name, value) => arrivals[name](value);
function load(name) {
  return loads[name] ??= new Promise((resolve, reject) => {
    arrivals[name] = resolve;
    const onerror = () => { delete loads[name]; reject(name); };
    document.head.append(make('script', { src: new URL(`data/${name}.js`, base), onerror }));
  });
}

async function pageOf(id) {
  const pages = /^[\w-]+$/.test(id) ? await load('names-' + id.at(-1)) : {};
  return Object.keys(pages).find(page => pages[page].includes(id));
}

// MARK: Placeholders

// Draws a ThumbHash (evanw.github.io/thumbhash). Transparent pictures have none, since it would show through.
function thumbHash(text) {
  const h = Uint8Array.from(atob(text), c => c.charCodeAt(0)), a = h[0] | h[1] << 8 | h[2] << 16, b = h[3] | h[4] << 8;
  const few = b & 7 || 1, wide = b >> 15, n = max(3, few), short = Math.ceil(20 * few / 7);
  const width = wide ? 20 : short, height = wide ? short : 20;
  let at = 10;
  const terms = (nx, ny, scale) => {
    const list = [];
    for (let v = 0; v < ny; v++) for (let u = v ? 0 : 1; u * ny < nx * (ny - v); u++) {
      list.push([u, v, ((h[at >> 1] >> at++ % 2 * 4 & 15) / 7.5 - 1) * scale * 2]);
    }
    return list;
  };
  const L = terms(wide ? 7 : n, wide ? n : 7, (a >> 18 & 31) / 31);
  const P = terms(3, 3, (b >> 3 & 63) / 50.4), Q = terms(3, 3, (b >> 9 & 63) / 50.4);
  const canvas = make('canvas', { width, height }), context = canvas.getContext('2d'), image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const x = PI * (i % width + .5) / width, y = PI * (Math.floor(i / width) + .5) / height;
    const sum = (list, start) => list.reduce((s, [u, v, f]) => s + f * cos(x * u) * cos(y * v), start);
    const l = sum(L, (a & 63) / 63), p = sum(P, (a >> 6 & 63) / 31.5 - 1), q = sum(Q, (a >> 12 & 63) / 31.5 - 1);
    const blue = l - 2 / 3 * p, red = (3 * l - blue + q) / 2;
    image.data.set([red * 255, (red - q) * 255, blue * 255, 255], i * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function cover(img) {
  const { colour, hash } = img.closest('[data-hash]')?.dataset || {};
  if (img.complete || !hash) return;
  img.parentElement.style.backgroundColor = colour;
  try { img.before(thumbHash(hash)); } catch { return; }
  img.classList.add('arrives');
  img.onload = img.onerror = () => img.classList.replace('arrives', 'arrived');
}
// Draw only near the window: a page may have thousands of pictures.
const nearby = new IntersectionObserver(entries => entries.forEach(({ target, isIntersecting }) => {
  if (!isIntersecting) return;
  nearby.unobserve(target);
  cover(target);
}), { rootMargin: '800px' });
$$('.tile img, .hero img').forEach(img => nearby.observe(img));

// MARK: Details and pager

const viewer = $('.viewer'), slides = $$('.details'), pageTitle = document.title;
const indices = new Map(slides.map(({ id }, i) => [id, i]));
// A day is the address of its first picture.
slides.forEach(({ id }, i) => { if (!indices.has(id = id.slice(0, 10))) indices.set(id, i); });
const titleOf = slide => $('h2', slide).textContent;
const addressOf = (id, page) => indices.has(id) ? '#' + id : ownAddress(page) ? `${ownAddress(page)}#${id}` : '';
const pictureOf = slide => $('figure img', slide);
const linkTo = id => $('a', byID('t-' + id) || viewer);
const stepOf = (slide, by) => $(`.steps [rel=${by < 0 ? 'prev' : 'next'}]`, slide);
const isPlain = e => !(e.button || e.metaKey || e.ctrlKey || e.shiftKey);
const isOpen = () => viewer.classList.contains('open');
// The visible slide, the slide to scroll to, the element that opened the details, the strip's width.
let current, goal, opener, span, rest, isNotched, turned = 0;

const [newer, older] = [['back', 'Newer picture', -1], ['on', 'Older picture', 1]].map(([className, title, by]) =>
  make('a', { className, title, ariaLabel: title, onclick: e => { if (isPlain(e)) { e.preventDefault(); step(by); } } }));
const place = make('span', { className: 'place' });
const strip = make('div', { className: 'strip' });

function buildStrip() {
  strip.append(...slides);
  viewer.append(make('div', { className: 'tools' }, button('shut', 'Close', () => close()), newer, older, place), strip);
  viewer.role = 'dialog';
  viewer.ariaModal = true;
  slides.forEach((slide, i) => {
    const img = pictureOf(slide);
    if (!img) return;
    const { width, height } = filesOf(slide).at(-1), { style } = $('figure', slide);
    style.setProperty('--ratio', width / height);
    style.setProperty('--best', width + 'px');
    const enlarger = button('enlarge', 'Enlarge: ' + (img.alt || titleOf(slide)), () => enlarge(i));
    img.replaceWith(enlarger);
    enlarger.append(img);
  });
}

// From small to large.
function filesOf(slide) {
  const img = pictureOf(slide), data = img.dataset, file = (src, width, height) => ({ src, width, height });
  return [file(img.src, img.getAttribute('width'), img.getAttribute('height')), file(data.overlay, data.overlayWidth, data.overlayHeight),
    file(data.original, data.originalWidth, data.originalHeight)].filter(file => file.src);
}

// Only a slide and its two neighbours load their pictures.
function approach(index) {
  slides.forEach((slide, i) => {
    const near = abs(i - index) < 2, img = pictureOf(slide);
    slide.classList.toggle('near', near);
    if (!near || !img || img.loading === 'eager') return;
    cover(img);
    img.loading = 'eager';
  });
}

// Called when the strip rests at a slide.
function settle(index) {
  goal = index;
  approach(index);
  if (index === current) return;
  const slide = slides[index], time = $('time', slide)?.textContent, moveFocus = slides[current]?.contains(document.activeElement);
  current = index;
  slides.forEach((other, i) => { other.inert = i !== index; other.classList.toggle('shown', i === index); });
  for (const [link, by] of [[newer, -1], [older, 1]]) {
    const href = stepOf(slide, by)?.href;
    link.hidden = !href;
    link.href = href;
  }
  place.textContent = `${index + 1} of ${slides.length}`;
  document.title = `${titleOf(slide)} – ${pageTitle}`;
  if (hashID() !== slide.id) history.replaceState(history.state, '', '#' + slide.id);
  announce([titleOf(slide), time, place.textContent].filter(Boolean).join(', '));
  if (moveFocus) focusSlide();
}
const focusSlide = () => $('h2', slides[current]).focus({ preventScroll: true });

function show(index, behavior = 'instant') {
  if (calm.matches) behavior = 'instant';
  goal = index;
  approach(index);
  strip.scrollTo({ left: index * span, behavior });
  if (behavior === 'instant') settle(index);
}
function step(by) {
  if (slides[goal + by]) return show(goal + by, 'smooth');
  stepOf(slides[goal], by)?.click();
}

// A timer detects that the strip rests: scrollend also fires between two quick steps. A new width scrolls the strip,
// too; the observer restores the slide.
on(strip, 'scroll', () => {
  clearTimeout(rest);
  rest = setTimeout(requestAnimationFrame, 140, () => {
    const index = round(strip.scrollLeft / span);
    if (isOpen() && strip.clientWidth === span && abs(strip.scrollLeft - index * span) < 1.5) settle(index);
  });
  if (isOpen() && strip.clientWidth === span) approach(round(strip.scrollLeft / span));
}, { passive: true });
new ResizeObserver(() => {
  if (!isOpen() || strip.clientWidth === span) return;
  span = strip.clientWidth;
  strip.scrollTo({ left: current * span, behavior: 'instant' });
}).observe(strip);

// A notched wheel turns one picture per gesture, because the strip would snap back; a touchpad (small deltas) scrolls
// the strip. A vertical wheel turns pictures only if the slide cannot scroll.
on(strip, 'wheel', e => {
  const { deltaX: x, deltaY: y } = e, isFlat = abs(x) > abs(y), by = Math.sign(isFlat ? x : y), slide = slides[goal];
  if (e.ctrlKey || !isFlat && (!e.target.closest('figure') || slide.scrollHeight > slide.clientHeight + 1)) return;
  if (e.timeStamp - turned > 180) {
    isNotched = !isFlat || e.deltaMode || abs(x) > 50;
    if (isNotched && slides[goal + by]) step(by);
  }
  if (isNotched) e.preventDefault();
  turned = e.timeStamp;
}, { passive: false });

function cutOff(inert) {
  for (const child of body.children) if (!child.matches('.viewer, .status, dialog')) child.inert = inert;
  // Without the scroll bar, the page would be wider and its rows different.
  body.style.paddingInlineEnd = inert ? innerWidth - root.clientWidth + 'px' : '';
  root.classList.toggle('viewing', inert);
  viewer.classList.toggle('open', inert);
}

function open(index, from) {
  if (!strip.isConnected) buildStrip();
  if (!isOpen()) {
    opener = from;
    cutOff(true);
    span = strip.clientWidth;
  }
  show(index);
  if (!viewer.contains(document.activeElement)) focusSlide();
}

function close(wentBack) {
  if (!isOpen()) return;
  const { id } = slides[current];
  closeOverlay(true);
  cutOff(false);
  current = goal = undefined;
  document.title = pageTitle;
  const back = () => {
    const link = opener?.hash === '#' + id || !linkTo(id)?.checkVisibility() ? opener : linkTo(id);
    const { top, bottom } = link.getBoundingClientRect();
    link.focus({ preventScroll: true });
    if (bottom < 40 || top > innerHeight - 40) link.scrollIntoView({ block: 'center' });
  };
  back();
  if (wentBack) return;
  if (!history.state?.viewer) return history.replaceState(history.state, '', pathOf(location));
  on(window, 'popstate', () => setTimeout(back), { once: true });
  history.back();
}

const hashID = () => location.hash.slice(1);
function route() {
  const id = hashID(), index = indices.get(id);
  closeOverlay(true);
  if (index === undefined) {
    close(true);
    if (id && !byID(id)) find(id);
  } else if (index !== current) open(index, linkTo(id));
}
async function find(id) {
  const address = addressOf(id, await pageOf(id).catch(() => ''));
  if (hashID() !== id) return;
  if (address && address !== location.href) location.replace(address);
  else announce('No picture has this address.');
}
on(window, 'popstate hashchange', route);

on(document, 'click', e => {
  const link = e.target.closest('a[href]');
  if (!link || !isPlain(e) || e.defaultPrevented || pathOf(link) !== pathOf(location)) return;
  const index = indices.get(link.hash.slice(1));
  if (index === undefined) return;
  e.preventDefault();
  calendar?.close();
  if (isOpen()) return show(index);
  history.pushState({ viewer: true }, '', link.hash);
  open(index, link);
});
on(document, 'keydown', e => {
  if (!isOpen() || $('dialog[open]')) return;
  press(e, { Escape: () => close(), ArrowLeft: () => step(-1), ArrowRight: () => step(1) });
});

// MARK: Overlay

// The frame is centred in the stage at the size that fits, w × h; a transform moves it by x and y and scales it by z.
// Every file of a picture fills the frame, so replacing a file moves nothing.
let overlay, stage, frame, view, plus, minus, token = 0;

function buildOverlay() {
  stage = make('div', { className: 'stage' });
  const larger = () => zoom(view.z * 1.5), smaller = () => zoom(view.z / 1.5);
  minus = button('minus', 'Zoom out', smaller);
  plus = button('plus', 'Zoom in', larger);
  overlay = make('dialog', { className: 'overlay', tabIndex: -1 }, stage, make('div', { className: 'tools' },
    button('shut', 'Close', () => closeOverlay()), minus, plus, button('back', 'Newer picture', () => turn(-1)),
    button('on', 'Older picture', () => turn(1))), speaker());
  on(overlay, 'cancel', e => { e.preventDefault(); closeOverlay(); });
  on(overlay, 'keydown', e => press(e, {
    '+': larger, '=': larger, '-': smaller, 0: () => zoom(1),
    ArrowLeft: () => pan(1, 0), ArrowRight: () => pan(-1, 0), ArrowUp: () => pan(0, 1), ArrowDown: () => pan(0, -1),
  }));
  on(stage, 'wheel', wheel, { passive: false });
  on(stage, 'pointerdown', down);
  on(stage, 'pointermove', move);
  on(stage, 'pointerup pointercancel', up);
  new ResizeObserver(resized).observe(stage);
  body.append(overlay);
}

const isZoomed = () => view.z > 1.001;
const transform = ({ x, y, z }) => `translate(${x}px, ${y}px) scale(${z})`;
// Moves the frame from its current position on the screen.
function reach(next, ms = 0) {
  const from = getComputedStyle(frame).transform;
  frame.getAnimations().forEach(animation => animation.cancel());
  Object.assign(view, next);
  frame.style.transform = transform(view);
  overlay.classList.toggle('zoomed', isZoomed());
  plus.disabled = view.z > view.most - .001;
  minus.disabled = !isZoomed();
  if (ms) motion(frame, { transform: [from, transform(view)] }, ms);
}
// At the largest zoom, a pixel of the best file is a CSS pixel.
function fit() {
  const { width, height } = view.files.at(-1), W = stage.clientWidth, H = stage.clientHeight;
  const scale = min(W / width, H / height, 1), w = round(width * scale) || 1, h = round(height * scale) || 1;
  const left = round((W - w) / 2), top = round((H - h) / 2);
  Object.assign(view, { W, H, w, h, left, top, most: max(1, width / w) });
  for (const [name, value] of Object.entries({ width: w, height: h, left, top })) frame.style[name] = value + 'px';
}
// Keeps the picture's edges at or beyond the window's, and centres a smaller picture.
function bound(x, y, z = view.z) {
  const fx = max(0, (view.w * z - view.W) / 2), fy = max(0, (view.h * z - view.H) / 2);
  return { x: clamp(-fx, x, fx), y: clamp(-fy, y, fy), z };
}
// Zooms around the point (x, y), relative to the window's centre.
function zoom(z, x = 0, y = 0, ms = 220) {
  z = clamp(1, z, view.most);
  reach(bound(x - (x - view.x) * z / view.z, y - (y - view.y) * z / view.z, z), ms);
  announce(`Zoom ${round(z * 100)} %`);
}
function pan(x, y) {
  if (isZoomed()) reach(bound(view.x + x * view.W / 6, view.y + y * view.H / 6), 150); else if (x) turn(-x);
}
const fromMiddle = e => ({ x: e.clientX - view.W / 2, y: e.clientY - view.H / 2 });
function resized() {
  if (!overlay.open || !stage.clientWidth) return;
  // Keep the centre of the picture, and its size if zoomed.
  const { x, y, w, h } = view, z = isZoomed() ? view.z : 0;
  fit();
  const now = clamp(1, z * w / view.w, view.most);
  reach(z ? bound(x / (w * z) * view.w * now, y / (h * z) * view.h * now, now) : { x: 0, y: 0, z: 1 });
}

function over(slide) {
  const { left, top, width, height } = pictureOf(slide).getBoundingClientRect();
  return transform({ x: left + width / 2 - view.left - view.w / 2, y: top + height / 2 - view.top - view.h / 2, z: width / view.w });
}
function enlarge(index) {
  if (!overlay) buildOverlay();
  overlay.showModal();
  enter(index);
  overlay.focus();
  motion(overlay, { backgroundColor: ['#0000', '#000'] }, 240);
  motion(frame, { transform: [over(slides[index]), transform(view)] }, 280);
}
function enter(index) {
  const slide = slides[index];
  frame = make('div', { className: 'frame' + ($('.clear', slide) ? ' clear' : '') });
  view = { index, files: filesOf(slide), x: 0, y: 0, z: 1 };
  stage.replaceChildren(frame);
  fit();
  reach({});
  announce(overlay.ariaLabel = titleOf(slide));
  upgrade(++token, slide, frame);
}
// Shows the pager's file immediately, and each better file once it is decoded. The old layer stays below for two
// frames, since the new one may be blank.
async function upgrade(mine, slide, box) {
  const own = pictureOf(slide), thumb = $('img', linkTo(slide.id) || body);
  const layer = src => make('img', { decoding: 'sync', alt: '', draggable: false, src });
  const files = view.files.map(file => file.src);
  box.append(layer(own.complete ? files.shift() : thumb.complete && thumb.currentSrc || files[0]));
  for (const src of files) {
    const better = layer(src), old = [...box.children];
    try { await better.decode(); } catch { continue; }
    if (mine !== token) return;
    box.append(better);
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    old.forEach(layer => layer.remove());
  }
}

function turn(by) {
  let index = view.index + by;
  while (slides[index] && !pictureOf(slides[index])) index += by;
  if (!slides[index]) {
    reach({ x: 0, y: 0 }, 220);
    return stepOf(slides.at(by < 0 ? 0 : -1), by)?.click();
  }
  const gone = frame, { x, W } = view;
  show(index);
  enter(index);
  if (calm.matches) return;
  stage.append(gone);
  motion(gone, { transform: [`translate(${x}px)`, `translate(${-by * W}px)`] }, 260).then(() => gone.remove());
  motion(frame, { transform: [`translate(${x + by * W}px)`, 'none'] }, 260);
}

async function closeOverlay(atOnce) {
  if (!overlay?.open) return;
  const slide = slides[view.index];
  token++;
  if (!atOnce && !calm.matches) {
    const from = getComputedStyle(frame).transform, to = frame.style.transform = over(slide);
    frame.getAnimations().forEach(animation => animation.cancel());
    motion(overlay, { backgroundColor: ['#000', '#0000'] }, 220);
    await motion(frame, { transform: [from, to] }, 220);
  }
  overlay.close();
  pointers.clear();
  $('.enlarge', slide).focus({ preventScroll: true });
}

function wheel(e) {
  if (!e.ctrlKey && !e.target.closest('.frame')) return;
  e.preventDefault();
  const { x, y } = fromMiddle(e), delta = e.deltaY * (e.deltaMode ? 24 : 1);
  zoom(view.z * Math.exp(-delta * (e.ctrlKey ? .01 : .0022)), x, y, 0);
}

// Unless zoomed, a horizontal pull turns pictures, and a vertical pull closes the overlay.
const pointers = new Map();
let start, tap = { t: 0 };
function fingers() {
  const [a, b = a] = pointers.values();
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, d: hypot(a.x - b.x, a.y - b.y) };
}
const grip = isMoved => { start = { ...view, at: fingers(), isMoved, trail: [] }; };
function down(e) {
  if (e.button) return;
  const { a, e: x, f: y } = new DOMMatrix(getComputedStyle(frame).transform);
  reach({ x, y, z: a });
  stage.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, fromMiddle(e));
  grip(pointers.size > 1);
}
function move(e) {
  if (!pointers.has(e.pointerId)) return;
  pointers.set(e.pointerId, fromMiddle(e));
  const { x, y, d } = fingers(), { at } = start, dx = x - at.x, dy = y - at.y;
  if (pointers.size > 1) {
    const z = clamp(.7, start.z * d / at.d, view.most * 1.25), to = [x - (at.x - start.x) * z / start.z, y - (at.y - start.y) * z / start.z];
    return reach(z > 1 ? bound(...to, z) : { x: to[0], y: to[1], z });
  }
  if (!start.isMoved && hypot(dx, dy) < 6) return;
  start.isMoved = true;
  start.trail = [...start.trail, { x, y, t: e.timeStamp }].slice(-4);
  if (isZoomed()) return reach(bound(start.x + dx, start.y + dy));
  start.isFlat ??= abs(dx) > abs(dy);
  reach(start.isFlat ? { x: start.x + dx } : { y: start.y + dy });
}
function up(e) {
  const at = pointers.get(e.pointerId);
  if (!at || !pointers.delete(e.pointerId)) return;
  if (pointers.size) return grip(true);
  const { isMoved, isFlat, trail } = start, first = trail[0] || at, last = trail.at(-1) || at, { x, y, z } = view;
  // The finger's speed, in pixels per millisecond.
  const time = e.timeStamp - last.t < 80 ? max(8, last.t - first.t) : Infinity, vx = (last.x - first.x) / time, vy = (last.y - first.y) / time;
  if (!isMoved && e.type === 'pointerup') return tapped(e, at);
  if (z < 1 || z > view.most) return zoom(z, at.x, at.y);
  if (isZoomed()) return reach(bound(x + vx * 160, y + vy * 160), 400);
  if (e.type === 'pointerup') {
    if (isFlat && (abs(x) > view.W / 3 || abs(vx) > .35 && vx * x > 0)) return turn(x < 0 ? 1 : -1);
    if (!isFlat && (abs(y) > view.H / 5 || abs(vy) > .5)) return closeOverlay();
  }
  reach({ x: 0, y: 0, z: 1 }, 220);
}
function tapped(e, { x, y }) {
  const isDouble = e.timeStamp - tap.t < 300 && hypot(x - tap.x, y - tap.y) < 25;
  tap = { t: isDouble ? 0 : e.timeStamp, x, y };
  if (isDouble) zoom(isZoomed() ? 1 : max(2, view.most / 2), x, y);
}

// MARK: Calendar (weeks begin on Monday)

let calendar, days, firstDay, lastDay, chosen, grid, yearBox, monthBox;
const date = (year, month, day) => new Date(Date.UTC(year, month, day));
const words = (date, options) => date.toLocaleDateString('en-GB', { timeZone: 'UTC', ...options });
const hasPicture = id => days[id.slice(0, 7)] >>> id.slice(8) - 1 & 1;
const column = date => (date.getUTCDay() + 6) % 7;

function buildCalendar() {
  const months = Object.keys(days).sort(), option = (value, textContent) => make('option', { value, textContent });
  const choose = () => draw(date(yearBox.value, monthBox.value, 1)), shift = by => () => draw(moved(0, by));
  const last = months.at(-1).split('-');
  firstDay = new Date(months[0]);
  lastDay = date(...last, 0);
  monthBox = make('select', { ariaLabel: 'Month', onchange: choose });
  for (let i = 0; i < 12; i++) monthBox.append(option(i, words(date(2024, i, 1), { month: 'long' })));
  yearBox = make('select', { ariaLabel: 'Year', onchange: choose });
  for (let year = +last[0]; year >= firstDay.getUTCFullYear(); year--) yearBox.append(option(year, year));
  grid = make('table', { role: 'grid' });
  on(grid, 'keydown', e => {
    const by = e.shiftKey ? 12 : 1, go = (...by) => () => draw(moved(...by), true);
    press(e, {
      ArrowLeft: go(-1), ArrowRight: go(1), ArrowUp: go(-7), ArrowDown: go(7), Home: go(-column(chosen)),
      End: go(6 - column(chosen)), PageUp: go(0, -by), PageDown: go(0, by),
    });
  });
  calendar = make('dialog', { className: 'calendar', ariaLabel: 'Calendar' },
    make('div', { className: 'row' }, monthBox, yearBox, button('back', 'Previous month', shift(-1)),
      button('on', 'Next month', shift(1)), button('shut', 'Close', () => calendar.close())),
    grid, speaker());
  body.append(calendar);
}
// Moving from the 31st to a shorter month selects its last day.
function moved(byDays, byMonths = 0) {
  const year = chosen.getUTCFullYear(), month = chosen.getUTCMonth() + byMonths;
  return date(year, month, min(chosen.getUTCDate(), date(year, month + 1, 0).getUTCDate()) + byDays);
}
function draw(day, focus) {
  chosen = new Date(clamp(firstDay, day, lastDay));
  const year = yearBox.value = chosen.getUTCFullYear(), month = monthBox.value = chosen.getUTCMonth();
  const name = words(chosen, { month: 'long', year: 'numeric' }), head = make('tr'), rows = make('tbody');
  for (let i = 1; i < 8; i++) head.append(make('th', { scope: 'col', textContent: words(date(2024, 0, i), { weekday: 'short' }) }));
  const blank = column(date(year, month, 1)), length = date(year, month + 1, 0).getUTCDate();
  for (let number = 1 - blank; number <= length; number++) {
    if ((number + blank) % 7 === 1) rows.append(make('tr'));
    const day = date(year, month, number), id = day.toISOString().slice(0, 10), has = hasPicture(id);
    const link = make('a', { textContent: number, tabIndex: +day === +chosen ? 0 : -1, ariaLabel: `${number} ${name}${has ? '' : ', no picture'}` });
    if (has) link.href = '#' + id;
    else { link.role = 'link'; link.ariaDisabled = true; }
    rows.lastChild.append(make('td', {}, number > 0 ? link : ''));
  }
  grid.replaceChildren(make('thead', {}, head), rows);
  if (focus) $('[tabindex="0"]', grid).focus(); else announce(name);
  grid.ariaLabel = name;
}
async function openCalendar() {
  days ??= await load('days').catch(() => announce('The calendar cannot be loaded.'));
  if (!Object.keys(days || {}).length) return;
  if (!calendar) buildCalendar();
  calendar.showModal();
  const slide = slides.find(({ id }) => /^\d{4}-/.test(id));
  draw(slide ? new Date(slide.id.slice(0, 10)) : lastDay, true);
}

// MARK: Search

// SearchIndex.swift describes the files: `search`, `words-N` and `rows-N`.
const input = $('#words'), batch = 60;
const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
let results, heading, list, index, query = 0;

async function readIndex() {
  const { shards, days, keys, recent } = await load('search'), dayOf = new Map();
  for (let i = 0, number = 0, day = 0; i < days.length; i += 3) {
    for (let n = days[i + 2]; n; n--) dayOf.set(number += days[i], day += days[i + 1]);
  }
  const texts = Object.entries(recent).map(([number, text]) => [+number, ` ${fold(text)} `]);
  return { shards, dayOf, texts, keys: keys.map(key => [key, fold(key)]) };
}

// Adds the numbers of a list (class Postings) to a set.
function addNumbers(list, found) {
  for (let i = 0, number = 0, gap = 0, scale = 1; i < list.length; i++) {
    const code = list.charCodeAt(i), digit = code - 35 - (code > 60) - (code > 92);
    gap += digit % 45 * scale;
    scale *= 45;
    if (digit < 45) {
      found.add(number += gap + 1);
      [gap, scale] = [0, 1];
    }
  }
}

// Returns the numbers of the pictures with a word that begins with these letters.
async function numbersOf(letters) {
  const { shards, keys, texts } = index, start = letters.slice(0, 2), found = new Set();
  for (const [number, text] of texts) if (text.includes(' ' + letters)) found.add(number);
  if (!shards) return found;
  const fitting = [start, ...keys.filter(([, key]) => key.startsWith(start) || start.startsWith(key)).map(([key]) => key)];
  const numbers = new Set(fitting.map(key => [...Array(key.length).keys()].reduce((sum, i) => (sum * 31 + key.charCodeAt(i)) % shards, 0)));
  for (const words of await Promise.all([...numbers].map(number => load('words-' + number)))) {
    for (const word in words) if (fold(word).startsWith(letters)) addNumbers(words[word], found);
  }
  return found;
}

// Returns the numbers of the pictures that have all words, newest first.
async function numbersWith(words) {
  index ??= await readIndex();
  const sets = await Promise.all(words.map(numbersOf)), { dayOf } = index;
  return [...sets[0]].filter(number => sets.every(set => set.has(number))).sort((a, b) => dayOf.get(b) - dayOf.get(a) || a - b);
}

async function rowOf(number) { return (await load('rows-' + (number >> 6))).find(row => row[0] === number); }

function tile([, id, title, page, thumb, width, height]) {
  const image = ownAddress(thumb), date = String(id).slice(0, 10), day = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? date : NaN);
  const path = `pages/${isNaN(day) ? 'undated' : date.slice(0, 7)}${page > 1 ? '.' + +page : ''}.html`;
  return make('li', { className: `tile ${image ? '' : 'missing'} r${image ? clamp(5, round(width / height * 10), 32) : 15}` },
    make('a', { href: addressOf(id, path) },
      image ? make('img', { loading: 'lazy', alt: '', src: image }) : make('span', { className: 'reason', textContent: 'No picture' }),
      make('span', { className: 'caption' }, make('span', { className: 'title', dir: 'auto', textContent: title }),
        isNaN(day) ? '' : make('time', { dateTime: date, textContent: words(day, { dateStyle: 'long' }) }))));
}

async function search(upTo = batch) {
  const mine = ++query, wanted = fold(input.value).split(' ').filter(Boolean);
  for (const child of main.children) child.hidden = (child === results) === !wanted.length;
  history.replaceState({ ...history.state, words: input.value }, '');
  if (!wanted.length) return announce('');
  if (!results) main.append(results = make('section', { className: 'results', ariaLabel: 'Results' }, heading = make('h2'), list = make('ul')));
  heading.textContent = 'Searching …';
  let found = [], rows = [];
  try {
    found = await numbersWith(wanted);
    if (mine === query) rows = await Promise.all(found.slice(0, upTo).map(rowOf));
  } catch {
    if (mine === query) announce(heading.textContent = 'The search cannot be loaded.');
    return;
  }
  if (mine !== query) return;
  const count = found.length, isCut = count > upTo;
  list.replaceChildren(...rows.filter(Boolean).map(tile));
  announce(heading.textContent = isCut ? `The first ${upTo} pictures that match` : count === 1 ? '1 picture matches' : `${count || 'No'} pictures match`);
  $('.more')?.remove();
  if (isCut) results.append(make('button', { type: 'button', className: 'more', textContent: 'Show more', onclick: async () => {
    await search(upTo + batch);
    $('a', list.children[upTo]).focus();
  } }));
}

// MARK: Start

root.classList.add('js');
$('.open-calendar').onclick = openCalendar;
let wait;
on(input, 'input', () => { clearTimeout(wait); wait = setTimeout(search, 120); });
on(input, 'keydown', e => press(e, { Escape: () => { input.value = ''; search(); } }));
// Keep the results when readers go back from a result.
if (input.value = history.state?.words || '') search();
route();
})();

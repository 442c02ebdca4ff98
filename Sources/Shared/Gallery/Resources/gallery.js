'use strict';
// A classic script: browsers load no modules from file://. Texts are untrusted: they reach the page only as text (no
// innerHTML), and addresses from data files only through ownAddress().
(() => {
const root = document.documentElement, body = document.body, main = $('main'), hero = $('.hero img');
const pathOf = ({ href }) => href.split('#')[0];
const base = new URL('./' + (root.dataset.root || ''), pathOf(location));
const calm = matchMedia('(prefers-reduced-motion: reduce)');

function $(selector, from = document) { return from.querySelector(selector); }
const $$ = selector => [...document.querySelectorAll(selector)];
const stop = e => e.preventDefault();
const focused = () => document.activeElement;
const byID = id => document.getElementById(id);
const { abs, cos, floor, hypot, max, min, round, PI } = Math;
const setState = (more, to) => history.replaceState({ ...history.state, ...more }, '', to);
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
const div = (className, ...children) => make('div', { className }, ...children);
const button = (className, title, onclick) => make('button', { type: 'button', className, title, ariaLabel: title, onclick });
const label = (control, title) => { control.title = control.ariaLabel = title; };

const motion = (element, keyframes, duration) => calm.matches ? Promise.resolve()
  : element.animate(keyframes, { duration, easing: 'cubic-bezier(.2, .7, .2, 1)' }).finished.catch(() => {});

// A modal dialog makes the rest of the page inert, so it has its own live region. With `isSeen`, sighted readers see
// the text too.
let fading;
function announce(text, isSeen) {
  const status = $('dialog[open] .status') || $('.status');
  const hide = () => $$('.seen').forEach(old => old.classList.remove('seen'));
  clearTimeout(fading);
  hide();
  status.textContent = text;
  status.classList.toggle('seen', !!isSeen);
  fading = setTimeout(hide, 4000);
}

function press(e, actions) {
  const act = actions[e.key] || actions[e.key?.toLowerCase()];
  if (e.altKey || e.ctrlKey || e.metaKey || !act) return;
  stop(e);
  act();
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
    const x = PI * (i % width + .5) / width, y = PI * (floor(i / width) + .5) / height;
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
  // The large picture appears as its rows arrive.
  if (img === hero) return;
  img.classList.add('arrives');
  img.onload = img.onerror = () => img.classList.replace('arrives', 'arrived');
}
// Draw only near the window: a page may have thousands of pictures.
const nearby = new IntersectionObserver(entries => entries.forEach(({ target, isIntersecting }) => {
  if (!isIntersecting) return;
  nearby.unobserve(target);
  const img = $('img', target);
  if (img) cover(img);
}), { rootMargin: '800px' });
$$('.tile img, .hero img').forEach(img => nearby.observe(img.parentElement));
// The tiles load after the large picture, or some seconds later if it is slow (style.css).
const showTiles = () => root.classList.add('arrived-hero');
if (!hero || hero.complete) showTiles(); else on(hero, 'load error', showTiles);

// MARK: Details and pager

const viewer = $('.viewer'), slides = $$('.details'), pageTitle = document.title;
const indices = new Map(slides.map(({ id }, i) => [id, i]));
// The address of a day opens its first picture.
slides.forEach(({ id }, i) => { if (!indices.has(id = id.slice(0, 10))) indices.set(id, i); });
const titleOf = slide => $('h2', slide).textContent;
const addressOf = (id, page) => indices.has(id) ? '#' + id : ownAddress(page) ? `${ownAddress(page)}#${id}` : '';
const pictureOf = slide => $('figure img', slide);
const linkTo = id => $('a', byID('t-' + id) || viewer);
const stepOf = (slide, by) => $(`.steps [rel=${by < 0 ? 'prev' : 'next'}]`, slide);
const isPlain = e => !(e.button || e.metaKey || e.ctrlKey || e.shiftKey);
const isOpen = () => viewer.classList.contains('open');
// The index of the slide that is shown or scrolls into view, the element that opened the details, the strip's width.
let current, opener, span, rest, isNotched, turned = 0, moves = 0;

const arrows = [['back', 'Newer picture', -1], ['on', 'Older picture', 1]].map(([className, title, by]) =>
  [make('a', { className, title, ariaLabel: title, onclick: e => { if (isPlain(e)) { stop(e); step(by); } } }), by]);
const place = div('place'), caption = div('place');
const strip = div('strip'), thumbnails = make('nav', { className: 'thumbnails', ariaLabel: 'Pictures on this page' });

function buildStrip() {
  if (!calm.matches) toggleMotion();
  strip.append(...slides);
  viewer.append(div('tools', button('shut', 'Close', () => close()), ...arrows.map(([link]) => link), place), strip);
  if (slides[1]) viewer.append(thumbnails);
  viewer.role = 'dialog';
  viewer.ariaModal = true;
  slides.forEach((slide, i) => {
    const img = pictureOf(slide), thumb = $('img', linkTo(slide.id)), title = titleOf(slide);
    thumbnails.append(make('a', { href: '#' + slide.id, title, ariaLabel: title },
      thumb ? make('img', { loading: 'lazy', alt: '', src: thumb.src }) : title));
    if (!img) return;
    const { width, height } = filesOf(slide).at(-1), { style } = $('figure', slide);
    style.setProperty('--ratio', width / height);
    style.setProperty('--best', width + 'px');
    const enlarger = button('enlarge', 'Enlarge: ' + (img.alt || titleOf(slide)), () => enlarge(i));
    img.replaceWith(enlarger);
    enlarger.append(img);
  });
}

// Returns a slide's files, smallest first; only the still of a paused animation.
function filesOf(slide) {
  const img = pictureOf(slide), data = img.dataset;
  const file = (src, width, height) => src && { src: new URL(src, location).href, width: +width, height: +height };
  const files = [file(img.src, img.getAttribute('width'), img.getAttribute('height')),
    ...['overlay', 'original'].map(name => file(data[name], data[name + 'Width'], data[name + 'Height']))].filter(Boolean);
  return data.other && isStill ? [{ ...files.at(-1), src: img.src }] : files;
}

// Starts or pauses all animations. `data-other` has the file that is not shown.
let isStill = true;
function toggleMotion() {
  isStill = !isStill;
  for (const img of $$('[data-other]')) [img.src, img.dataset.other] = [img.dataset.other, img.src];
  if (focused().matches('.play')) focusSlide();
  for (const link of $$('.moving')) link.hidden = !isStill;
  for (const control of $$('.motion')) control.ariaPressed = isStill;
  if (!overlay?.open) return;
  view = { ...view, files: filesOf(slides[current]), wanted: 0, shown: 0 };
  sharpen();
}
const isAnimated = slide => pictureOf(slide)?.dataset.other;

// Only a slide and its two neighbours load their pictures.
function approach(index) {
  slides.forEach((slide, i) => {
    const near = abs(i - index) < 2 || i === current, img = pictureOf(slide);
    slide.classList.toggle('near', near);
    if (near && !$('.actions', slide)) ($('.when', slide) || $('h2', slide)).after(actionBar(slide));
    if (!near || !img || img.loading === 'eager') return;
    cover(img);
    img.sizes = img.offsetWidth + 'px';
    img.loading = 'eager';
  });
}

function settle(index) {
  approach(index);
  if (index === current) return;
  const slide = slides[index], time = $('time', slide)?.textContent, moveFocus = slides[current]?.contains(focused());
  mark(index);
  current = index;
  removePlayers();
  slides.forEach((other, i) => { other.inert = i !== index; other.classList.toggle('shown', i === index); });
  for (const [link, by] of arrows) {
    const href = stepOf(slide, by)?.href;
    if (!href && link === focused()) focusSlide();
    link.hidden = !href;
    link.href = href;
  }
  place.textContent = `${index + 1} of ${slides.length}`;
  document.title = `${titleOf(slide)} – ${pageTitle}`;
  if (hashID() !== slide.id) setState({}, '#' + slide.id);
  announce([titleOf(slide), time, place.textContent].filter(Boolean).join(', '));
  if (moveFocus) focusSlide();
}
const focusOn = control => control?.focus({ preventScroll: true });
// Marks a slide's thumbnail, and scrolls it to the middle.
function mark(index) {
  const links = [...thumbnails.children], link = links[index], left = link.offsetLeft - (thumbnails.clientWidth - link.offsetWidth) / 2;
  links.forEach(other => { other.ariaCurrent = other === link; other.tabIndex = other === link ? 0 : -1; });
  if (thumbnails.contains(focused())) focusOn(link);
  thumbnails.scrollTo({ left, behavior: calm.matches || current === undefined ? 'instant' : 'smooth' });
}
const focusSlide = () => focusOn($('h2', slides[current]));

function show(index, behavior = 'instant') {
  if (calm.matches) behavior = 'instant';
  moves++;
  strip.scrollTo({ left: index * span, behavior });
  settle(index);
}
function step(by) {
  if (slides[current + by]) return show(current + by, 'smooth');
  stepOf(slides[current], by)?.click();
}

// A timer detects that the strip rests, unless a later step moves it: scrollend also fires between two quick steps. A
// new width also scrolls the strip; then the observer restores the slide.
const hasSpan = () => isOpen() && strip.clientWidth === span, nearest = () => round(strip.scrollLeft / span);
on(strip, 'scroll', () => {
  const move = moves;
  clearTimeout(rest);
  rest = setTimeout(requestAnimationFrame, 140, () => {
    if (move === moves && hasSpan() && abs(strip.scrollLeft - nearest() * span) < 1.5) settle(nearest());
  });
  if (hasSpan()) approach(nearest());
}, { passive: true });
new ResizeObserver(() => {
  if (!isOpen() || hasSpan()) return;
  span = strip.clientWidth;
  strip.scrollTo({ left: current * span, behavior: 'instant' });
  mark(current);
}).observe(strip);

// A notched wheel turns one picture per gesture, as the strip would snap back; a touchpad (small deltas) scrolls the
// strip. A vertical wheel turns pictures only if the slide cannot scroll.
on(strip, 'wheel', e => {
  const { deltaX: x, deltaY: y } = e, isFlat = abs(x) > abs(y), by = Math.sign(isFlat ? x : y), slide = slides[current];
  if (e.ctrlKey && y < 0 && e.target.closest('.enlarge')) {
    enlarge(current, false, true);
    return wheel(e);
  }
  if (e.ctrlKey || !isFlat && (!e.target.closest('figure') || slide.scrollHeight > slide.clientHeight + 1)) return;
  if (e.timeStamp - turned > 180) {
    isNotched = !isFlat || e.deltaMode || abs(x) > 50;
    if (isNotched && slides[current + by]) step(by);
  }
  if (isNotched) stop(e);
  turned = e.timeStamp;
}, { passive: false });

// A pinch on a picture opens the overlay and continues there.
on(strip, 'pointerdown', e => {
  if (e.pointerType !== 'touch' || !e.target.closest('.enlarge')) return;
  pointers.set(e.pointerId, e);
  if (pointers.size < 2) return;
  enlarge(current, false, true);
  for (const e of [...pointers.values()]) down(e);
});
on(strip, 'pointerup pointercancel', e => pointers.delete(e.pointerId));
on(strip, 'touchmove', e => { if (e.touches.length > 1) stop(e); }, { passive: false });

function cutOff(inert) {
  for (const child of body.children) if (!child.matches('.viewer, .status, dialog')) child.inert = inert;
  // Without the scroll bar, the rows would change.
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
  if (!viewer.contains(focused())) focusSlide();
}

function close(wentBack) {
  if (!isOpen()) return;
  const { id } = slides[current];
  closeOverlay(true);
  removePlayers();
  cutOff(false);
  current = undefined;
  document.title = pageTitle;
  const back = () => {
    const same = opener?.hash === '#' + id && opener;
    const link = [same, linkTo(id), opener, input].find(control => control && control.checkVisibility({ visibilityProperty: true }));
    const { top, bottom } = link.getBoundingClientRect();
    focusOn(link);
    if (bottom < 40 || top > innerHeight - 40) link.scrollIntoView({ block: 'center' });
  };
  back();
  if (wentBack) return;
  if (!history.state?.viewer) return setState({}, pathOf(location));
  on(window, 'popstate', () => setTimeout(back), { once: true });
  history.back();
}

const hashID = () => location.hash.slice(1);
let leavesOverlay;
function route() {
  const id = hashID(), index = indices.get(id), layer = history.state?.layer, isBelow = leavesOverlay || overlay?.open;
  closeOverlay(true);
  leavesOverlay = isBelow && layer === 1 && isOpen();
  if (leavesOverlay) {
    // Browsers scroll, and lose the focus. A hashchange follows popstate.
    show(current);
    setTimeout(() => {
      leavesOverlay = false;
      focusOn($('.enlarge', slides[current]));
    });
    return setState({}, '#' + slides[current].id);
  }
  if (index === undefined) {
    close(true);
    if (id && !byID(id)) find(id);
  } else if (index !== current) open(index, linkTo(id));
  if (layer > 1 && isOpen()) $('.enlarge', slides[current])?.click();
}
async function find(id) {
  const address = addressOf(id, await pageOf(id).catch(() => ''));
  if (hashID() !== id) return;
  if (address && address !== location.href) location.replace(address);
  else announce('No picture has this address.', true);
}
on(window, 'popstate hashchange', route);

function visit(index, from) {
  if (isOpen()) return show(index);
  history.pushState({ viewer: true }, '', '#' + slides[index].id);
  open(index, from);
}

on(document, 'click', e => {
  const link = e.target.closest('a[href]');
  if (!link || !isPlain(e) || e.defaultPrevented) return;
  const { movie, player } = link.dataset, play = link.matches('.moving') ? toggleMotion : (movie || player && isServed) && showPlayer;
  if (play) {
    stop(e);
    return play(link);
  }
  if (pathOf(link) !== pathOf(location)) return;
  const index = indices.get(link.hash.slice(1));
  if (index === undefined) return;
  stop(e);
  calendar.close();
  visit(index, link);
});
on(document, 'keydown', e => {
  if (!isOpen() || $('dialog[open]') || focused().matches('video') && e.key !== 'Escape') return;
  press(e, {
    Escape: leave(close), ArrowLeft: () => step(-1), ArrowRight: () => step(1), f: fullScreen, r: random, '?': showKeys,
    s: canPlay(slides[current]) && (() => enlarge(current, true)),
  });
});

// Players of sites refuse pages that send no referrer, as from file://.
function showPlayer({ dataset: { movie, player }, parentElement }) {
  const onerror = () => { removePlayers(); announce('The video cannot be played here.', true); };
  const frame = movie ? make('video', { ariaLabel: 'Video', controls: true, autoplay: true, onerror, src: movie }) : make('iframe', {
    title: 'Video', sandbox: 'allow-scripts allow-same-origin', allow: 'autoplay; fullscreen',
    referrerPolicy: 'strict-origin', src: player,
  });
  parentElement.append(frame);
  frame.focus();
}
const removePlayers = () => $$('iframe, video').forEach(frame => frame.remove());

// MARK: Actions on a picture

// Browsers do not share or download file:// links.
const isServed = location.protocol !== 'file:', canShare = navigator.share && isServed;
const isFull = () => document.fullscreenElement;
const fullScreen = document.fullscreenEnabled && (() => {
  (isFull() ? document.exitFullscreen() : root.requestFullscreen()).catch(() => {});
});
// Browsers leave the full screen by Escape; some also send the key.
const leave = act => () => { if (isFull()) fullScreen(); else act(); };
const linkOf = slide => $('.own', slide)?.href || `${pathOf(location)}#${slide.id}`;

// Returns the buttons that act on slide(), which changes in the overlay.
function actionsOf(slide) {
  const motion = button('motion', 'Pause the animation', toggleMotion);
  motion.ariaPressed = isStill;
  motion.hidden = !isAnimated(slide());
  return [
    motion,
    button('copy', 'Copy link', () => copyLink(slide())),
    canShare && button('share', 'Share', () => share(slide())),
    offerOriginal(make('a', { className: 'save' }), slide()),
  ].filter(Boolean);
}

async function copyLink(slide) {
  const text = linkOf(slide), copy = e => { e.clipboardData.setData('text/plain', text); stop(e); };
  let isCopied = true;
  try { await navigator.clipboard.writeText(text); } catch {
    // Pages from http: have no clipboard object.
    on(document, 'copy', copy);
    isCopied = document.execCommand('copy');
    document.removeEventListener('copy', copy);
  }
  announce(isCopied ? 'Link copied' : 'The link cannot be copied.', true);
}

function share(slide) {
  navigator.share({ title: titleOf(slide), url: linkOf(slide) }).catch(({ name }) => {
    if (name !== 'AbortError') announce('The link cannot be shared.', true);
  });
}

// Browsers download originals of the same origin, and open others.
function offerOriginal(link, slide) {
  const original = $('.original', slide);
  link.hidden = !original;
  if (!original) return link;
  const { href, rel, textContent } = original, isOwn = isServed && href.startsWith(base.href);
  Object.assign(link, { href, rel, title: textContent, ariaLabel: isOwn ? 'Download' : 'Original' });
  if (isOwn) link.download = slide.id + href.slice(href.lastIndexOf('.')); else link.removeAttribute('download');
  return link;
}

function actionBar(slide) {
  const all = actionsOf(() => slide), add = (...parts) => all.push(button(...parts));
  if (canPlay(slide)) add('player', 'Slideshow', () => enlarge(slides.indexOf(slide), true));
  if (isDated(slide)) add('same-day', 'On this day', () => openCalendar(dateOf(slide)));
  add('list-keys', 'Keys', showKeys);
  for (const control of all) control.textContent = control.ariaLabel;
  return div('actions', ...all);
}

const keyList = $('.keys'), showKeys = () => keyList.showModal();
if (!fullScreen) $$('.keys .full-screen').forEach(part => part.remove());

// MARK: Overlay

// The frame is centred in the stage at the size that fits, w × h; a transform moves it by x and y and scales it by z.
let overlay, stage, frame, view, plus, minus, player;

function buildOverlay() {
  stage = div('stage');
  const larger = () => zoom(view.z * 1.5), smaller = () => zoom(view.z / 1.5);
  minus = button('minus', 'Zoom out', smaller);
  plus = button('plus', 'Zoom in', larger);
  player = button('player', '', () => { if (playing) pause(); else play(); });
  player.hidden = !canPlay(slides[current]);
  const full = fullScreen && button('full', 'Full screen', fullScreen);
  if (full) on(document, 'fullscreenchange', () => {
    label(full, isFull() ? 'Leave full screen' : 'Full screen');
    full.classList.toggle('leaves', !!isFull());
  });
  overlay = make('dialog', { className: 'overlay', tabIndex: -1 }, stage, div('tools',
    button('shut', 'Close', () => closeOverlay()), minus, plus, button('back', 'Newer picture', () => turn(-1)),
    button('on', 'Older picture', () => turn(1)), caption),
  div('actions', player, full || '', ...actionsOf(() => slides[current])), make('p', { className: 'status', role: 'status' }));
  body.append(overlay);
  setPlaying();
  on(overlay, 'cancel', e => { stop(e); leave(closeOverlay)(); });
  on(overlay, 'pointerdown wheel keydown', e => {
    if (!e.target.closest('.player, .full') && !/^[fs]$/i.test(e.key)) pause();
  }, { capture: true, passive: true });
  on(overlay, 'keydown', e => press(e, {
    Escape: leave(closeOverlay), '+': larger, '=': larger, '-': smaller, 0: () => zoom(1), f: fullScreen, '?': showKeys,
    s: () => player.hidden || player.click(), r: () => closeOverlay().then(random),
    ArrowLeft: () => pan(1, 0), ArrowRight: () => pan(-1, 0), ArrowUp: () => pan(0, 1), ArrowDown: () => pan(0, -1),
  }));
  on(stage, 'wheel', wheel, { passive: false });
  on(stage, 'pointerdown', down);
  on(stage, 'pointermove', move);
  on(stage, 'pointerup pointercancel', up);
  new ResizeObserver(resized).observe(stage);
}

const isZoomed = () => view.z > 1.001;
const transform = ({ x, y, z }) => `translate(${x}px, ${y}px) scale(${z})`;
// Stops the frame, and returns its transform on the screen.
function halt() {
  const { transform } = getComputedStyle(frame);
  frame.getAnimations().forEach(animation => animation.cancel());
  return transform;
}
// Moves the frame to `next`.
function reach(next, ms = 0) {
  const from = halt();
  Object.assign(view, next);
  frame.style.transform = transform(view);
  overlay.classList.toggle('zoomed', isZoomed());
  plus.disabled = view.z > view.most - .001;
  minus.disabled = !isZoomed();
  // A control that disappears would move the focus to the page.
  if (focused().matches(':disabled, [hidden], .zoomed :is(.back, .on)')) overlay.focus();
  if (ms) motion(frame, { transform: [from, transform(view)] }, ms);
  updateTiles();
  sharpen();
}
// The largest zoom shows a pixel of the best file as a CSS pixel, and a small picture three times as large.
function fit() {
  const { width, height } = view.tiles || view.files.at(-1), W = stage.clientWidth, H = stage.clientHeight;
  const scale = min(W / width, H / height, 1), w = round(width * scale) || 1, h = round(height * scale) || 1;
  const left = round((W - w) / 2), top = round((H - h) / 2);
  Object.assign(view, { W, H, w, h, left, top, most: max(3, width / w) });
  for (const [name, value] of Object.entries({ width: w, height: h, left, top })) frame.style[name] = value + 'px';
}
// Keeps the picture's edges at or beyond the window's, and centres a smaller picture. After a pinch, the remaining
// finger may keep it at `from`.
function bound(x, y, z = view.z, from = { x: 0, y: 0 }) {
  const fx = max(0, (view.w * z - view.W) / 2), fy = max(0, (view.h * z - view.H) / 2);
  return { x: clamp(min(-fx, from.x), x, max(fx, from.x)), y: clamp(min(-fy, from.y), y, max(fy, from.y)), z };
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
  // Keep the centre, and the size if zoomed.
  const { x, y, w, h } = view, z = isZoomed() ? view.z : 0;
  fit();
  const now = clamp(1, z * w / view.w, view.most);
  reach(z ? bound(x / (w * z) * view.w * now, y / (h * z) * view.h * now, now) : { x: 0, y: 0, z: 1 });
}

function over(slide) {
  const { left, top, width, height } = pictureOf(slide).getBoundingClientRect();
  return { x: left + width / 2 - view.left - view.w / 2, y: top + height / 2 - view.top - view.h / 2, z: width / view.w };
}
// With `isHeld`, the picture starts where it is.
function enlarge(index, isPlayed, isHeld) {
  if (!overlay) buildOverlay();
  // Back closes only the overlay.
  if (history.state?.layer !== 2) {
    setState({ layer: 1 });
    history.pushState({ ...history.state, layer: 2 }, '');
  }
  overlay.showModal();
  enter(index);
  overlay.focus();
  motion(overlay, { backgroundColor: ['#0000', '#000'] }, 240);
  const from = over(slides[index]);
  if (isHeld) reach(from); else motion(frame, { transform: [transform(from), transform(view)] }, 280);
  if (isPlayed) play();
}
function enter(index) {
  const slide = slides[index];
  frame = div('frame' + ($('.clear', slide) ? ' clear' : ''));
  view = { index, files: filesOf(slide), tiles: tilesOf(slide), x: 0, y: 0, z: 1 };
  offerOriginal($('.save', overlay), slide);
  $('.motion', overlay).hidden = !isAnimated(slide);
  const own = pictureOf(slide), thumb = $('img', linkTo(slide.id) || body), src = own.complete ? own.currentSrc : thumb.complete && thumb.currentSrc;
  if (src) frame.append(layer(src));
  view.wanted = view.shown = view.files.find(file => file.src === src)?.width || 0;
  stage.replaceChildren(frame);
  fit();
  reach({});
  announce(overlay.ariaLabel = caption.textContent = titleOf(slide));
}
const layer = src => make('img', { decoding: 'sync', alt: titleOf(slides[view.index]), draggable: false, src });
// Loads the smallest file with enough pixels; of three files, the largest only if zoomed. The old layer stays below for
// two frames, since the new layer may be blank.
async function sharpen() {
  const mine = view, box = frame, files = mine.files.slice(0, isZoomed() ? 3 : 2).filter(file => !file.failed);
  const file = files.find(({ width }) => width >= mine.w * mine.z * devicePixelRatio) || files.at(-1);
  if (!file || file.width <= mine.wanted) return;
  mine.wanted = file.width;
  const better = layer(file.src);
  try { await better.decode(); } catch {
    file.failed = true;
    mine.wanted = mine.shown;
    return mine === view && sharpen();
  }
  if (mine !== view || file.width < mine.shown) return;
  const old = box.querySelectorAll(':scope > img');
  mine.shown = file.width;
  box.append(better);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  old.forEach(layer => layer.remove());
}

function beside(index, by) {
  do index += by; while (slides[index] && !pictureOf(slides[index]));
  return index;
}
function turn(by, index = beside(view.index, by)) {
  if (!slides[index]) {
    reach({ x: 0, y: 0 }, 220);
    return stepOf(slides.at(by < 0 ? 0 : -1), by)?.click();
  }
  const gone = frame, { x, W } = view;
  show(index);
  enter(index);
  stage.append(gone);
  motion(gone, { transform: [`translate(${x}px)`, `translate(${-by * W}px)`] }, 260).then(() => gone.remove());
  motion(frame, { transform: [`translate(${x + by * W}px)`, 'none'] }, 260);
}

async function closeOverlay(atOnce) {
  if (!overlay?.open) return;
  const slide = slides[view.index];
  setPlaying();
  if (!atOnce) {
    const from = halt(), to = frame.style.transform = transform(over(slide));
    motion(overlay, { backgroundColor: ['#000', '#0000'] }, 220);
    await motion(frame, { transform: [from, to] }, 220);
  }
  overlay.close();
  pointers.clear();
  if (!atOnce && history.state?.layer > 1) {
    leavesOverlay = true;
    history.back();
  }
}

function wheel(e) {
  if (!e.ctrlKey && !e.target.closest('.frame')) return;
  stop(e);
  const { x, y } = fromMiddle(e), delta = e.deltaY * (e.deltaMode ? 24 : 1);
  zoom(view.z * Math.exp(-delta * (e.ctrlKey ? .01 : .0022)), x, y, 100);
}

// Unless zoomed, a horizontal pull turns pictures; a vertical pull closes the overlay.
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
    const z = clamp(min(.7, start.z), start.z * d / at.d, view.most * 1.25);
    return reach({ x: x - (at.x - start.x) * z / start.z, y: y - (at.y - start.y) * z / start.z, z });
  }
  if (!start.isMoved && hypot(dx, dy) < 6) return;
  start.isMoved = true;
  start.trail = [...start.trail, { x, y, t: e.timeStamp }].slice(-4);
  if (isZoomed()) return reach(bound(start.x + dx, start.y + dy, view.z, start));
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
// A mouse click zooms in. A double click or tap zooms in or out. If its first click zoomed in, its second click, which
// has stopped the frame, lets it continue.
function tapped(e, { x, y }) {
  const isDouble = e.timeStamp - tap.t < 300 && hypot(x - tap.x, y - tap.y) < 25, { hasZoomed } = tap;
  const isClick = e.pointerType === 'mouse' && !isZoomed() && abs(x) < view.w / 2 && abs(y) < view.h / 2;
  tap = { t: isDouble ? 0 : e.timeStamp, x, y, hasZoomed: isClick };
  if (isDouble && !hasZoomed && getComputedStyle(root).getPropertyValue('--double-tap').trim() === 'close') closeOverlay();
  else if (isDouble || isClick) zoom(isZoomed() && !hasZoomed ? 1 : max(2, view.most / 2), x, y);
}

// MARK: Tiles

// Draws the tiles in view (TileLevel.swift) over a large picture. Each level is half as wide as the previous level.
const side = 512;
let pending;

function tilesOf(slide) {
  const { tiles, tilesWidth, tilesHeight } = pictureOf(slide).dataset;
  return tiles && { src: tiles, width: tilesWidth, height: tilesHeight, layer: div('tiles'), drawn: new Map() };
}

// Waits, as a moving view needs most tiles only briefly.
function updateTiles() {
  pending ||= setTimeout(() => {
    pending = 0;
    if (overlay.open && view.tiles) drawTiles(view);
  }, 100);
}

function drawTiles({ tiles: { src, width, height, layer, drawn }, files, W, H, w, h, x, y, z }) {
  const needed = w * z * devicePixelRatio, isNeeded = needed > files.at(-1).width;
  let level = 0;
  while (width / 2 ** (level + 1) >= needed) level++;
  const across = round(width / 2 ** level) / side, down = round(height / 2 ** level) / side;
  // Returns the names of the tiles within `margin` pixels of the window.
  const inView = margin => {
    const a = w * z / across, b = h * z / down, left = ((w * z - W) / 2 - x - margin) / a, top = ((h * z - H) / 2 - y - margin) / b;
    const right = min(across, left + (W + 2 * margin) / a), bottom = min(down, top + (H + 2 * margin) / b), names = [];
    for (let row = max(0, floor(top)); isNeeded && row < bottom; row++) {
      for (let column = max(0, floor(left)); column < right; column++) names.push(`${level}-${column}-${row}`);
    }
    return names;
  };
  const wanted = inView(0).map(name => {
    if (drawn.has(name)) return drawn.get(name);
    const img = make('img', { alt: '', onload: updateTiles, src: `${src}/${name}.jpg` });
    const [, column, row] = name.split('-'), place = (start, count) => [start, min(1, count - start)].map(n => n / count * 100 + '%');
    [img.style.left, img.style.width] = place(column, across);
    [img.style.top, img.style.height] = place(row, down);
    layer.append(img);
    drawn.set(name, img);
    return img;
  });
  // Keep tiles of another level until this level is complete.
  const near = new Set(inView(max(W, H) / 2)), isDone = wanted.every(img => img.complete);
  for (const [name, img] of drawn) {
    if (near.has(name) || !isDone && img.complete && name[0] != level) continue;
    img.remove();
    drawn.delete(name);
  }
  if (!layer.isConnected) frame.append(layer);
}

// MARK: Slideshow

const pace = 5000;
let playing;
const canPlay = slide => pictureOf(slide) && slides.some(other => other !== slide && pictureOf(other));
function setPlaying(run) {
  playing = run;
  label(player, run ? 'Pause the slideshow' : 'Start the slideshow');
  player.classList.toggle('plays', !!run);
}
// Shows each picture for `pace` milliseconds, or longer while the next picture loads.
async function play() {
  const run = {};
  setPlaying(run);
  announce('The slideshow has started.');
  while (playing === run) {
    let next = beside(view.index, 1);
    if (!slides[next]) next = beside(-1, 1);
    const { src } = filesOf(slides[next]).slice(0, 2).at(-1);
    const loaded = make('img', { src }).decode().catch(() => {});
    await Promise.all([loaded, new Promise(done => setTimeout(done, pace))]);
    if (playing === run && !document.hidden) turn(1, next);
  }
}
function pause() {
  if (!playing) return;
  setPlaying();
  announce('The slideshow is paused.');
}

// MARK: Calendar (weeks begin on Monday)

const calendar = $('.calendar'), [monthBox, yearBox] = calendar.querySelectorAll('select'), grid = $('table', calendar);
const others = $('.others', calendar);
let days, firstDay, lastDay, chosen;
const date = (year, month, day) => new Date(Date.UTC(year, month, day));
const words = (date, options) => date.toLocaleDateString('en-GB', { timeZone: 'UTC', ...options });
const longDate = id => words(new Date(id), { dateStyle: 'long' });
const hasPicture = id => days[id.slice(0, 7)] >>> id.slice(8) - 1 & 1;
const column = date => (date.getUTCDay() + 6) % 7;

function prepareCalendar() {
  const months = Object.keys(days).sort(), last = months.at(-1).split('-');
  firstDay = new Date(months[0]);
  lastDay = date(...last, 0);
  for (let year = +last[0]; year >= firstDay.getUTCFullYear(); year--) yearBox.append(make('option', { value: year }, year));
  on(calendar, 'change', () => draw(date(yearBox.value, monthBox.value, 1)));
  for (const [name, by] of [['.back', -1], ['.on', 1]]) $(name, calendar).onclick = () => draw(moved(0, by));
  on(grid, 'keydown', e => {
    const by = e.shiftKey ? 12 : 1, go = (...by) => () => draw(moved(...by), true);
    press(e, {
      ArrowLeft: go(-1), ArrowRight: go(1), ArrowUp: go(-7), ArrowDown: go(7), Home: go(-column(chosen)),
      End: go(6 - column(chosen)), PageUp: go(0, -by), PageDown: go(0, by),
    });
  });
}
// From the 31st, moving to a shorter month selects its last day.
function moved(byDays, byMonths = 0) {
  const year = chosen.getUTCFullYear(), month = chosen.getUTCMonth() + byMonths;
  return date(year, month, min(chosen.getUTCDate(), date(year, month + 1, 0).getUTCDate()) + byDays);
}
function draw(day, focus) {
  chosen = new Date(clamp(firstDay, day, lastDay));
  const year = yearBox.value = chosen.getUTCFullYear(), month = monthBox.value = chosen.getUTCMonth();
  const name = words(chosen, { month: 'long', year: 'numeric' }), rows = make('tbody');
  const blank = column(date(year, month, 1)), length = date(year, month + 1, 0).getUTCDate();
  for (let number = 1 - blank; number <= length; number++) {
    if ((number + blank) % 7 === 1) rows.append(make('tr'));
    const day = date(year, month, number), id = day.toISOString().slice(0, 10), has = hasPicture(id);
    const link = make('a', { tabIndex: +day === +chosen ? 0 : -1, ariaLabel: `${number} ${name}${has ? '' : ', no picture'}` }, number);
    if (has) link.href = '#' + id;
    else { link.role = 'link'; link.ariaDisabled = true; }
    rows.lastChild.append(make('td', {}, number > 0 ? link : ''));
  }
  $('tbody', grid).replaceWith(rows);
  drawOthers();
  if (focus) $('[tabindex="0"]', grid).focus(); else announce(name);
  grid.ariaLabel = name;
}
function drawOthers() {
  const day = words(chosen, { day: 'numeric', month: 'long' }), own = chosen.toISOString().slice(0, 10);
  const same = Object.keys(days).sort().reverse().map(month => month + own.slice(7))
    .filter(id => id.slice(5) === own.slice(5) && id !== own && hasPicture(id));
  others.replaceChildren(same.length ? `${day} in other years:` : `No picture on ${day} in other years.`,
    ...same.flatMap(id => [' ', make('a', { href: '#' + id, ariaLabel: longDate(id) }, id.slice(0, 4))]));
}
const dateOf = slide => isDated(slide) && new Date(slide.id.slice(0, 10));
const isDated = ({ id }) => /^\d{4}-/.test(id);
// Returns the months with pictures; nothing if they cannot be loaded.
async function loadDays() {
  days ??= await load('days').catch(() => announce('The days cannot be loaded.', true));
  return days && Object.keys(days);
}
async function openCalendar(day) {
  const months = await loadDays();
  if (!months?.length) return months && announce('No picture has a date.', true);
  if (!firstDay) prepareCalendar();
  calendar.showModal();
  const slide = slides.find(isDated);
  draw(day || (slide ? dateOf(slide) : lastDay), true);
  if (day) announce(others.textContent);
}
async function random() {
  const months = await loadDays(), here = slides[current]?.id || '';
  if (!months) return;
  const numbers = Array.from({ length: 31 }, (_, i) => `${i + 1}`.padStart(2, 0));
  const dates = months.flatMap(month => numbers.map(number => `${month}-${number}`)).filter(hasPicture);
  const ids = (dates.length ? dates : slides.map(({ id }) => id)).filter(id => here.slice(0, id.length) !== id);
  const id = ids[floor(Math.random() * ids.length)], index = indices.get(id);
  if (!id) announce('There is no other picture.', true);
  else if (index === undefined) location.hash = id;
  else visit(index, $('.random'));
}

// MARK: Search

// SearchIndex.swift describes the files: `search`, `words-N` and `rows-N`.
const input = $('#words'), batch = 60;
const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
const results = $('.results'), heading = $('h2', results), list = $('ul', results);
let index, query = 0;

async function readIndex() {
  const { shards, days, keys, recent } = await load('search'), dayOf = new Map();
  for (let i = 0, number = 0, day = 0; i < days.length; i += 3) {
    for (let n = days[i + 2]; n; n--) dayOf.set(number += days[i], day += days[i + 1]);
  }
  const texts = Object.entries(recent).map(([number, text]) => [+number, ` ${fold(text)} `]);
  return { shards, dayOf, texts, keys: keys.map(key => [key, fold(key)]) };
}

// Adds the numbers of a list (struct Postings) to a set.
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

// Returns the numbers of pictures with a word that begins with these letters.
async function numbersOf(letters) {
  const { shards, keys, texts } = index, start = letters.slice(0, 2), found = new Set();
  for (const [number, text] of texts) if (text.includes(' ' + letters)) found.add(number);
  if (!shards) return found;
  const fitting = [start, ...keys.filter(([, key]) => key.startsWith(start) || start.startsWith(key)).map(([key]) => key)];
  const numbers = new Set(fitting.map(key => key.split('').reduce((sum, unit) => (sum * 31 + unit.charCodeAt()) % shards, 0)));
  for (const words of await Promise.all([...numbers].map(number => load('words-' + number)))) {
    for (const word in words) if (fold(word).startsWith(letters)) addNumbers(words[word], found);
  }
  return found;
}

async function numbersWith(words) {
  index ??= await readIndex();
  const sets = await Promise.all(words.map(numbersOf)), { dayOf } = index;
  return [...sets[0]].filter(number => sets.every(set => set.has(number))).sort((a, b) => dayOf.get(b) - dayOf.get(a) || a - b);
}

async function rowOf(number) { return (await load('rows-' + (number >> 6))).find(row => row[0] === number); }

function tile([, id, title, page, thumb, width, height, plays]) {
  const image = ownAddress(thumb), day = isDated({ id }) ? id.slice(0, 10) : '';
  const path = `pages/${day.slice(0, 7) || 'undated'}${page > 1 ? '.' + +page : ''}.html`;
  const tenths = image ? clamp(5, round(width / height * 10), 32) : 15;
  return make('li', { className: `tile ${image ? '' : 'missing'} ${plays ? 'video' : ''} w${floor(tenths / 10)} t${tenths % 10}` },
    make('a', { href: addressOf(id, path) },
      image ? make('img', { loading: 'lazy', alt: '', src: image }) : plays ? '' : div('reason', 'No picture'),
      div('caption', make('span', { className: 'title', dir: 'auto' }, title),
        day && make('time', { dateTime: day }, longDate(day)))));
}

async function search(upTo = batch) {
  const mine = ++query, wanted = fold(input.value).split(' ').filter(Boolean);
  for (const child of main.children) child.hidden = (child === results) === !wanted.length;
  setState({ words: input.value });
  if (!wanted.length) return announce('');
  heading.textContent = 'Searching …';
  const offer = (textContent, onclick) => make('button', { type: 'button', textContent, onclick });
  const finish = (rows, text, ...rest) => {
    announce(heading.textContent = text);
    list.replaceChildren(...rows.filter(Boolean).map(tile));
    results.replaceChildren(heading, list, ...rest);
  };
  let found, rows;
  try {
    found = await numbersWith(wanted);
    if (mine === query) rows = await Promise.all(found.slice(0, upTo).map(rowOf));
  } catch {
    if (mine === query) finish([], 'The search cannot be loaded.', offer('Try again', () => search()));
    return;
  }
  if (mine !== query) return;
  const count = found.length;
  if (!count) finish(rows, `No picture matches “${input.value.trim()}”`,
    make('p', {}, 'Try fewer or shorter words.'), offer('Show all pictures', clear));
  else if (count <= upTo) finish(rows, count === 1 ? '1 picture matches' : `${count} pictures match`);
  else finish(rows, `The first ${upTo} pictures that match`, offer('Show more', async () => {
    await search(upTo + batch);
    $('a', list.children[upTo]).focus();
  }));
}
function clear() {
  input.value = '';
  input.focus();
  search();
}

// MARK: Start

root.classList.add('js');
$('.open-calendar').onclick = () => openCalendar();
$('.random').onclick = random;
for (const control of $$('dialog .shut')) control.onclick = () => control.closest('dialog').close();
let wait;
// Readers take longer to type than the index to load.
on(input, 'focus', () => load('search').catch(() => {}));
on(input, 'input', () => { clearTimeout(wait); wait = setTimeout(search, 120); });
on(input, 'keydown', e => press(e, { Escape: clear }));
// Search again when readers come back.
if (input.value = history.state?.words || '') search();
route();
})();

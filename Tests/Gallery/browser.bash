# Sourced by scripts that open pages in Chromium. Finds the browser and the Python packages, and serves a folder.
# shellcheck shell=bash disable=SC2034

# Sets CHROMIUM and python. If something is missing, prints a message and fails.
find_browser() {
    export CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
    if [[ -z $CHROMIUM ]]; then
        say "*** NO CHROMIUM: the tests of the gallery's pages are SKIPPED; scripts/setup --with-browser installs it."
        return 1
    fi
    python=${APOD_TOOLS_PYTHON:-$ROOT/.build/browser/bin/python}
    "$python" -c 'import PIL, playwright, axe_playwright_python, websockets' 2>/dev/null && return 0
    python3 -m venv "$ROOT/.build/browser" &&
        "$python" -m pip install --quiet pillow playwright axe-playwright-python websockets && return 0
    say "*** NO PLAYWRIGHT: the tests of the gallery's pages are SKIPPED, because PyPI cannot be reached."
    return 1
}

# serve FOLDER: serves it with nginx on a free port of 127.0.0.1, and sets site and nginx_pid. Compresses texts with gzip
# at nginx's default level, as usual web servers do. Fails if nginx is not installed. The folder $work receives nginx's
# files.
serve() {
    local port try
    PATH=$PATH:/usr/sbin command -v nginx >/dev/null 2>&1 || return 1
    for ((try = 0; try < 20; try++)); do
        port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        cat >"$work/nginx.conf" <<CONF
daemon off; master_process off; pid $work/nginx.pid; error_log $work/nginx.log;
events { worker_connections 512; }
http {
    types {
        text/html html; text/css css; text/javascript js; application/atom+xml atom;
        image/jpeg jpg; image/png png; image/webp webp; image/gif gif; image/svg+xml svg;
    }
    access_log off; sendfile on; charset utf-8;
    gzip on; gzip_types text/css text/javascript application/atom+xml image/svg+xml;
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
    uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    server { listen 127.0.0.1:$port; root $1; location /site/ { error_page 404 /site/404.html; } }
}
CONF
        PATH=$PATH:/usr/sbin nginx -e "$work/nginx.log" -c "$work/nginx.conf" 2>/dev/null &
        nginx_pid=$!
        site=http://127.0.0.1:$port
        # nginx exits immediately if another process has taken the port.
        while kill -0 "$nginx_pid" 2>/dev/null; do
            if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
        done
    done
    cat "$work/nginx.log" >&2
    die "nginx does not start"
}

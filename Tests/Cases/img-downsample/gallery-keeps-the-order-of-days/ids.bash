grep -o '<article class="details" id="[^"]*' site/index.html | cut -d'"' -f4

#!/bin/bash
# A browser draws the report and the attention page, in light and in dark, and the two differ.
# Needs a browser without a screen (chromium) and the program of the unit test that makes the pages.
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
maker=$(dirname "$MNEME")/tests/unit_report
[ -n "$browser" ] || { echo "skipped: chromium is not installed"; exit 77; }
[ -x "$maker" ] || { echo "skipped: $maker is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkdir "$folder/run"
MNEME_PAGES=$folder/run "$maker" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

draw() { # PAGE IMAGE OPTION...
    local page=$1 image=$2
    shift 2
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$folder/profile" --window-size=1200,2400 "$@" --screenshot="$image" "file://$page" \
        >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    [ -s "$image" ] || { echo "$page: no picture"; cat "$folder/log"; exit 1; }
}
for page in report attention; do
    draw "$folder/run/$page.html" "$folder/$page-light.png"
    draw "$folder/run/$page.html" "$folder/$page-dark.png" --blink-settings=preferredColorScheme=0
    cmp -s "$folder/$page-light.png" "$folder/$page-dark.png" && { echo "$page: dark is as light"; exit 1; }
    # An empty page of this size takes some 10 kB.
    [ "$(stat -c %s "$folder/$page-light.png")" -gt 30000 ] || { echo "$page: the picture is empty"; exit 1; }
done
echo "report and attention page are drawn in light and in dark"

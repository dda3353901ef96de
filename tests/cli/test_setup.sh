#!/bin/bash
# scripts/setup is quiet when all is there; an ordinary user reads what is missing and how to install it.
set -u
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
bad=0
mkdir "$dir/bin"
# A Debian on which every package but those in $MISSING is there, and a user who is not root.
cat >"$dir/bin/dpkg-query" <<'C'
#!/bin/bash
package=${!#}
case " $MISSING " in *" $package "*) echo "dpkg-query: no packages found matching $package" >&2; exit 1 ;; esac
echo installed
C
printf '#!/bin/sh\necho %s\n' 1000 >"$dir/bin/id"
chmod +x "$dir/bin"/*

says() { # says NAME MISSING CODE TEXT ARGUMENT...
    local name=$1 code out
    export MISSING=$2
    out=$(PATH=$dir/bin:$PATH "$SOURCE/scripts/setup" "${@:5}" 2>&1)
    code=$?
    if [ $code != "$3" ] || [ "$out" != "$4" ]; then
        echo "$name: exit $code (wanted $3):"; echo "$out"
        bad=1
    fi
}
says "all is there" "" 0 ""
says "all is there, checks too" "" 0 "" --checks
says "two are missing" "libyaml-dev cmake" 69 "scripts/setup: missing packages: cmake libyaml-dev
Install them with:  sudo apt-get install --no-install-recommends cmake libyaml-dev"
says "a tool of the checks is missing, and not needed" "shellcheck" 0 ""
says "a tool of the checks is missing" "shellcheck" 69 "scripts/setup: missing packages: shellcheck
Install them with:  sudo apt-get install --no-install-recommends shellcheck" --checks
# As root: apt-get is called with what is missing, and its failure is ours.
printf '#!/bin/sh\necho 0\n' >"$dir/bin/id"
printf '#!/bin/sh\necho "apt-get $*" >>%s\nexit ${APT_FAILS:-0}\n' "$dir/apt" >"$dir/bin/apt-get"
chmod +x "$dir/bin/apt-get"
says "root installs" "cmake" 0 "scripts/setup: installing cmake"
printf 'apt-get update\napt-get install -y --no-install-recommends cmake\n' | cmp -s - "$dir/apt" || { cat "$dir/apt"; bad=1; }
export APT_FAILS=100
says "apt-get fails" "cmake" 69 "scripts/setup: installing cmake
scripts/setup: apt-get failed (above: its last lines)"
# The tools that tests compare with: installed once, again when their versions change; what pip says is shown when it fails.
mkdir -p "$dir/p/scripts" "$dir/p/tests/golden"
cp "$SOURCE/scripts/setup" "$dir/p/scripts/" && echo "tool==1" >"$dir/p/tests/golden/requirements.txt"
cat >"$dir/bin/python3" <<'C'
#!/bin/bash
[ "$1 $2" = "-m venv" ] || exit 1
mkdir -p "$3/bin"
printf '#!/bin/sh\necho "pip $1 $2 $(cat "$3")" >>%s\n[ -z "${PIP_FAILS-}" ] || { echo "no such tool"; exit 1; }\n' "$LOG" >"$3/bin/pip"
chmod +x "$3/bin/pip"
C
chmod +x "$dir/bin/python3"
export LOG=$dir/pip
SOURCE=$dir/p
says "tools are installed" "" 0 "" --reference
says "tools are there" "" 0 "" --reference
echo "tool==2" >"$dir/p/tests/golden/requirements.txt"
PIP_FAILS=1 says "pip fails" "" 69 "no such tool
scripts/setup: the tools of tests/golden/requirements.txt could not be installed (above: the last lines)" --reference
says "tools of other versions" "" 0 "" --reference
printf 'pip install -r tool==%s\n' 1 2 2 | cmp -s - "$LOG" || { cat "$LOG"; bad=1; }
exit $bad

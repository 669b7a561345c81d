#!/usr/bin/env bash
# Carries out the Dockerfile without Docker: each stage in a tree of bare Debian that debootstrap makes; then its CMD, as
# the user it names, in a tree that can not be written to and on a network that has nothing but itself, until its
# HEALTHCHECK is content. What it can not show is what Docker itself does: layers, ports, limits.
#
#   bash tests/bare_debian.sh              # all kernels are compiled, as in the image
#   bash tests/bare_debian.sh NMB AKW DMV  # those of these methods only
#
# Needs root, Linux, debootstrap, a package index, 4 GB in TMPDIR. BARE_DEBIAN=FOLDER keeps the bare tree there for the
# next time.
set -euo pipefail

if [[ ${1:-} != --alone ]]; then # what is mounted inside ends with the inner shell; then the trees can go
    work=$(mktemp -d "${TMPDIR:-/tmp}/bare-debian.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    unshare --mount --fork --kill-child "$BASH" "${BASH_SOURCE[0]}" --alone "$work" "$@"
    exit
fi
work=$2
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bare=${BARE_DEBIAN:-$work/bare}

say() { printf '=== %s (after %d s)\n' "$*" "$SECONDS"; }

# A tree with what a program expects of a system, and with this machine's way to the package index while it is built.
new_tree() {
    tree=$work/$1 environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin) user=root directory=/
    cp -a "$bare" "$tree"
    mount --rbind /dev "$tree/dev"
    mount -t proc proc "$tree/proc"
    cp --dereference /etc/resolv.conf "$tree/etc/resolv.conf"
    cp /etc/hosts "$tree/etc/hosts"
    if [[ -f ${PIP_CERT:-} ]]; then
        install --mode=644 "$PIP_CERT" "$tree/etc/lent.pem" # where no package of Debian's writes over it
        printf '[global]\ncert = /etc/lent.pem\n' >"$tree/etc/pip.conf"
    fi
}

# A line of shell in the tree, as Docker would run it; with how=exec in place of this shell, so that signals reach it.
inside() {
    local lent=()
    if [[ $1 == --lent ]]; then
        shift
        mapfile -t lent < <(env | grep -iE '^(pip_index_url|pip_default_timeout|https?_proxy|no_proxy)=')
    fi
    ${how:-} env -i "${environment[@]}" "${lent[@]}" "$(command -v chroot)" --userspec="$user" "$tree" \
        /bin/sh -c 'cd "$1" && eval "$2"' sh "$directory" "$1"
}

# COPY, from the files of this folder or from another stage.
copy() {
    local from=. sources
    if [[ $1 == --from=* ]]; then from=$work/${1#--from=}; shift; fi
    local target=${*: -1}
    [[ $target == /* ]] || target=$directory/$target
    for source in "${@:1:$#-1}"; do
        if [[ -d $from/$source ]]; then
            mkdir -p "$tree$target"
            cp -a --no-preserve=ownership "$from/$source/." "$tree$target/"
            [[ $from != . ]] || find "$tree$target" -name __pycache__ -prune -exec rm -r {} + # as .dockerignore has it
        else
            install -D --mode=644 -t "$tree$target" "$from/$source"
        fi
    done
}

if [[ ! -d $bare ]]; then
    release=$(sed -n 's/^FROM debian:\([a-z]*\).*/\1/p' Dockerfile | head -1)
    say "debootstrap $release"
    debootstrap --variant=minbase "$release" "$bare" >"$work/debootstrap.log" || { tail "$work/debootstrap.log"; exit 1; }
    rm -rf "$bare"/var/cache/apt/archives/*.deb "$bare"/var/lib/apt/lists/* # which Docker's Debian does not hold
fi

stages=0 command= health=
while IFS=$'\t' read -r keyword value <&3; do
    say "$keyword $value"
    case $keyword in
        FROM)
            read -ra words <<<"$value"
            stages=$((stages + 1))
            new_tree "${words[2]:-$stages}"
            ;;
        RUN)
            if (($#)); then value=${value/polhode warm/polhode warm --methods $*}; fi
            inside --lent "$value" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
            ;;
        COPY) eval "copy $value" ;;
        ENV)
            for assignment in $value; do
                path=$(printf '%s\n' "${environment[@]}" | sed -n 's/^PATH=//p' | tail -1)
                environment+=("${assignment//\$PATH/$path}")
            done
            ;;
        WORKDIR) directory=$value; mkdir -p "$tree$value" ;;
        USER) user=$value ;;
        CMD) command=$value ;;
        HEALTHCHECK) health=$value ;;
        EXPOSE) ;;
        *) echo "$keyword is not known here" >&2; exit 1 ;;
    esac
done 3< <(python3 tests/dockerfile.py Dockerfile)

kernels=$(find "$tree/var/cache/polhode" -name '*.o' | wc -l)
say "The image holds $(du -shx "$tree" | cut -f1) and $kernels kernels"
((kernels))

say "Read-only, without a network: $command"
mount --bind "$tree" "$tree"
mount --rbind /dev "$tree/dev"
mount -t proc proc "$tree/proc"
mount -t tmpfs tmpfs "$tree/tmp"
mount -o remount,bind,ro "$tree"

page='import urllib.request as r
answer = r.urlopen("http://127.0.0.1:5006/?problem=free&methods=NMB&dt=0.1&duration=10")
assert "<title>Polhode</title>" in answer.read().decode()'

run='import engine
assert engine.simulate("slow-top", "NMB", dt=0.01, steps=100).status == "done"'

serve_and_look() {
    mapfile -t environment <<<"$settings"
    ip link set lo up
    if inside "touch /anything" 2>/dev/null; then echo "The tree can be written to." >&2; exit 1; fi
    how=exec inside "exec $command" &
    local server=$!
    for _ in {1..600}; do
        if inside "$health" 2>/dev/null; then break; fi
        kill -0 "$server"
        sleep 1
    done
    inside "$health"
    inside "python3 -c '$page'"
    kill -TERM "$server"
    wait "$server"
    # Another processor wants other kernels: where they can not be kept, they are compiled in memory.
    inside "POLHODE_CACHE_DIR=/nowhere python3 -c '$run'"
}
export -f inside serve_and_look
export tree user directory command health page run
settings=$(printf '%s\n' "${environment[@]}") unshare --net "$BASH" -euo pipefail -c serve_and_look
say "It was healthy, gave the page, and ended when it was told to"

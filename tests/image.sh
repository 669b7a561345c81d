#!/usr/bin/env bash
# Builds the image by the Dockerfile where there is no Docker, with buildah, on a base that debootstrap makes; then runs
# it with runc as compose.yaml has it: read-only but for /tmp, without rights, on a network that has nothing but itself.
# Its HEALTHCHECK must pass, the page must load, and the container must end on SIGTERM without an init process. Then the
# scheduler and a worker of compose.yaml run in containers of their own, and a sweep on them agrees with one on threads.
#
#   bash tests/image.sh              # all kernels are compiled, as in the image; 75 s of processor time
#   bash tests/image.sh NMB AKW DMV  # those of these methods only
#   ARCH=arm64 bash tests/image.sh NMB  # for 64-bit ARM, by the emulator of the package qemu-user-static
#
# Needs root, Linux, buildah, debootstrap, runc, python3, a package index, 6 GB in TMPDIR. BARE_DEBIAN=FOLDER keeps the
# bare tree there for the next time, IMAGES=FOLDER the image and its layers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/image.XXXXXX")
bare=${BARE_DEBIAN:-$work/bare} images=${IMAGES:-$work/images}
arch=${ARCH:-$(dpkg --print-architecture)}
export BUILDAH_ISOLATION=chroot # which needs no rights but root's
buildah() { command buildah --root "$images/store" --runroot "$work/run" "$@"; }
finish() {
    for one in "$name" "$name-worker" "$name-scheduler"; do runc delete --force "$one" 2>/dev/null || true; done
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf --one-file-system "$work"
}
name=polhode-$$
trap finish EXIT

say() { printf '=== %s (after %d s)\n' "$*" "$SECONDS"; }

base=$(sed -n 's/^FROM \([^ @]*\).*/\1/p' Dockerfile | head -1) # without the digest, which another image has
if [[ ! -d $bare ]]; then
    release=${base#debian:}
    say "debootstrap ${release%-slim}"
    debootstrap --arch="$arch" --variant=minbase "${release%-slim}" "$bare" >"$work/log" || { tail "$work/log"; exit 1; }
    rm -rf "$bare"/var/cache/apt/archives/*.deb "$bare"/var/lib/apt/lists/* # which Docker's Debian does not hold
fi
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
    say "The base $base"
    empty=$(buildah from scratch)
    buildah add --quiet "$empty" "$bare" / >/dev/null
    buildah config --arch "$arch" --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$empty"
    buildah commit --quiet "$empty" "$base" >/dev/null
fi

# This machine's way to the package index is lent to the build, and is no part of the image.
lent=()
if [[ -f ${PIP_CERT:-} ]]; then
    printf '[global]\ncert = /etc/lent.pem\n' >"$work/pip.conf"
    lent=(--volume "$PIP_CERT:/etc/lent.pem:ro" --volume "$work/pip.conf:/etc/pip.conf:ro")
fi
sed "s/engine warm/engine warm${*:+ --methods $*}/; s/^\(FROM [^ @]*\)@[^ ]*/\1/" Dockerfile >"$work/Dockerfile"
say "buildah bud"
buildah bud --arch "$arch" --format docker --pull-never --layers --quiet "${lent[@]}" --file "$work/Dockerfile" --tag polhode . \
    >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }

tree=$(buildah mount "$(buildah from --arch "$arch" --pull-never polhode)")
kernels=$(find "$tree/var/cache/polhode" -name '*.o' | wc -l)
say "The image holds $(du -shx "$tree" | cut -f1) and $kernels kernels"
((kernels))

buildah inspect --type image polhode >"$work/image.json"
configure() { # NAME [PID]: writes for runc what the image and the service of compose.yaml say, in the network of a process
    mkdir "$work/$1"
    (cd "$work/$1" && runc spec)
    python3 - "$work" "$tree" "$@" <<'PYTHON'
import json, re, sys
from pathlib import Path

work, tree, name, *network = sys.argv[1:]
image = json.loads(Path(work, "image.json").read_text())["Docker"]["config"]
users = dict(line.split(":")[0:3:2] for line in Path(tree, "etc/passwd").read_text().splitlines())
service = re.search(rf"^  {name}:\n((?:    .*\n)+)", Path("compose.yaml").read_text(), re.MULTILINE)[1]
command = re.search(r"command: \[(.*)\]", service)
path = Path(work, name, "config.json")
config = json.loads(path.read_text())
user = int(users[image["User"]])
none = dict.fromkeys(("bounding", "effective", "inheritable", "permitted", "ambient"), [])
config["process"] |= {
    "terminal": False, "args": command[1].replace('"', "").split(", ") if command else image["Cmd"], "env": image["Env"],
    "cwd": image["WorkingDir"], "user": {"uid": user, "gid": user}, "capabilities": none, "noNewPrivileges": True,
}
config["root"] = {"path": tree, "readonly": True}
hosts = Path(work, "hosts")
hosts.write_text("127.0.0.1 localhost scheduler\n")
config["mounts"] += [
    {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev"]},
    {"destination": "/etc/hosts", "type": "bind", "source": str(hosts), "options": ["bind", "ro"]},
]
for namespace in config["linux"]["namespaces"]:
    if network and namespace["type"] == "network":
        namespace["path"] = f"/proc/{network[0]}/ns/net"
path.write_text(json.dumps(config))
Path(work, "health").write_text("\n".join(image["Healthcheck"]["Test"][1:]))
print("Read-only, without a network:", *config["process"]["args"])
PYTHON
}

configure polhode
mapfile -t health <"$work/health"
runc run --bundle "$work/polhode" "$name" >"$work/served" 2>&1 &
runner=$!
healthy=
for _ in {1..300}; do
    if runc exec "$name" "${health[@]}" 2>/dev/null; then healthy=yes; break; fi
    kill -0 "$runner" 2>/dev/null || { cat "$work/served"; exit 1; }
    sleep 1
done
[[ $healthy ]] || { runc exec "$name" "${health[@]}" || true; exit 1; }
say "It is healthy"
if runc exec "$name" touch /var/cache/polhode/x 2>/dev/null; then echo "The tree can be written to." >&2; exit 1; fi
runc exec "$name" python3 -c 'import urllib.request as r
answer = r.urlopen("http://127.0.0.1:5006/?problem=free&methods=NMB&dt=0.1&duration=10")
assert "<title>Polhode</title>" in answer.read().decode()'
# Another processor wants other kernels: where they can not be kept, they are compiled in memory.
runc exec --env POLHODE_CACHE_DIR=/nowhere "$name" python3 -c 'import engine
assert engine.simulate("slow-top", "NMB", dt=0.01, steps=100).status == "done"'
runc kill "$name" TERM
code=0
wait "$runner" || code=$?
[[ $code == 0 ]] || { echo "It ended with $code." >&2; cat "$work/served"; exit 1; }
say "It served the page and ended on SIGTERM"

# The cluster of compose.yaml: two containers on one network, and one sweep through them.
configure scheduler
runc run --detach --bundle "$work/scheduler" "$name-scheduler" >"$work/scheduled" 2>&1 </dev/null
configure worker "$(runc state "$name-scheduler" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
runc run --detach --bundle "$work/worker" "$name-worker" >"$work/worked" 2>&1 </dev/null
sweep=(polhode study sweep slow-top "${1:-NMB}" --over dt=log:1e-3:1e-2:20 --over Omega0.z=1:50:20 --duration 2 --measure energy)
runc exec "$name-scheduler" "${sweep[@]}" --out - >"$work/here.csv"
runc exec "$name-scheduler" "${sweep[@]}" --out - --scheduler tcp://scheduler:8786 >"$work/there.csv" \
    || { cat "$work/scheduled" "$work/worked" >&2; exit 1; }
cmp "$work/here.csv" "$work/there.csv"
say "A worker in a container of its own made the $(($(wc -l <"$work/there.csv") - 1)) runs of a sweep, the same to the last bit"

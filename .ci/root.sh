# Functions for scripts that need a Debian of their own; to be sourced.

# Makes a root of a release of Debian, in a folder that is missing, with further packages: by mmdebstrap, which needs half of the
# CPU time of debootstrap. Says why if that fails.
# Usage: make_debian <release> <folder> <packages, with commas between them, or nothing>
make_debian() {
  local release=$1 folder=$2 packages=${3:-}
  command -v mmdebstrap >/dev/null || {
    apt-get update -qq && apt-get install -y -qq --no-install-recommends mmdebstrap
  } >/dev/null 2>&1 || {
    echo 'there is no mmdebstrap'
    return 1
  }
  mmdebstrap --variant=minbase ${packages:+--include="$packages"} "$release" "$folder" >"$folder.log" 2>&1 || {
    echo "mmdebstrap fails: $(tail -1 "$folder.log")"
    return 1
  }
}

# Packages of a machine with "Node and nothing else", and git, which some tests ask.
NODE_PACKAGES=(nodejs npm git)

# Installs packages in a root that is there, by its own apt. Says why if that fails.
# Usage: install_in_debian <folder> <package> …
install_in_debian() {
  local folder=$1
  shift
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/fast" # it does not outlive this run
  apt-config dump | grep -E '^Acquire::https?::' >"$folder/etc/apt/apt.conf.d/90host" || true
  DEBIAN_FRONTEND=noninteractive chroot "$folder" \
    sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' install "$@" >"$folder.log" 2>&1 || {
    echo "$* cannot be installed: $(tail -1 "$folder.log")"
    return 1
  }
}

# Boots a root: systemd becomes process 1 of namespaces of its own, whose network is its own loopback alone. Sets `machine` to its
# number here, and `booted` to that of the process which all of it ends with.
boot_debian() {
  unshare --mount --propagation private --pid --fork --kill-child --uts --ipc --cgroup --net bash -c '
    root=$1
    ip link set lo up 2>/dev/null || true
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
    mount -t tmpfs tmpfs "$root/run"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    ln -s pts/ptmx "$root/dev/ptmx"
    for name in null zero full random urandom tty; do
      touch "$root/dev/$name"
      mount --bind "/dev/$name" "$root/dev/$name"
    done
    exec chroot "$root" env -i container=ci PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
  ' boot "$1" >"$1.boot.log" 2>&1 &
  booted=$!
  local tries=0
  until machine=$(pgrep -P "$booted" -x systemd) && within_machine 'systemctl is-system-running || true' 2>/dev/null | grep -qE 'running|degraded'; do
    [ $((tries += 1)) -lt 120 ] && kill -0 "$booted" 2>/dev/null || return 1
    sleep 0.5
  done
}

# Runs lines of a shell in the machine that was booted, in /root.
within_machine() {
  nsenter --target "$machine" --mount --pid --net --uts --ipc --cgroup --root --wd \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    sh -euc "cd /root; $1"
}

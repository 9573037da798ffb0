"""A Slurm cluster on this machine only: munged, slurmctld and two nodes by slurmd, with separate settings, keys and ports,
in a folder that is removed afterwards. No service of the machine is used, and no process is left."""

import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("srun", "sbatch", "scancel", "scontrol", "sinfo")
PACKAGES = "munge slurm-client slurmctld slurmd slurm-wlm-basic-plugins"

# Two nodes, each with all processors of the machine, and four simulated GPUs.
SETTINGS = """ClusterName=halocline
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is requeued waits until the credentials of its first start have expired: two minutes if nothing is said.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
TmpFS={folder}/temporary-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
ReturnToService=2
JobRequeue=1
KillWait={kill_wait}
MinJobAge=3600
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
GresTypes=gpu
NodeName=node[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port={node},{other} CPUs={processors} Gres=gpu:4 State=UNKNOWN
PartitionName=all Nodes=node[1-2] Default=YES MaxTime=INFINITE State=UP
"""


class ClusterError(Exception):
    """The cluster does not start or does not respond."""


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def missing():
    return [name for name in DAEMONS + CLIENTS if program(name) is None]


def free_ports(count):
    """Different ports without a listener."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_for(condition, seconds, what):
    """The value of `condition`, once it is true. Throws ClusterError after this many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise ClusterError(f"after {seconds} s still not: {what() if callable(what) else what}")
        time.sleep(0.2)


class Cluster:
    """Runs while the `with` lasts. `environment` is what Slurm's commands need to find it; jobs inherit it."""

    KILL_WAIT = 20  # seconds from SIGTERM to SIGKILL at the end of a job's time

    def __init__(self):
        self.daemons = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halocline-slurm-"))
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        controller, node, other = free_ports(3)
        for name in ("state", "spool-node1", "spool-node2", "temporary-node1", "temporary-node2", "jobs"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        settings = self.folder / "slurm.conf"
        settings.write_text(SETTINGS.format(host=host, controller=controller, node=node, other=other, folder=self.folder,
                                            processors=os.cpu_count(), kill_wait=self.KILL_WAIT))
        # Devices like /dev/null instead of GPUs: enough for Slurm to allocate them.
        for number in range(4):
            os.mknod(self.folder / f"gpu{number}", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/gpu[0-3]\n")
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        kept = {name: value for name, value in os.environ.items() if not re.match("SLURM|SBATCH|OMPI_|PMIX", name)}
        self.environment = {**kept, "SLURM_CONF": str(settings), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.launch("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                    f"--seed-file={self.folder}/munged.seed")
        wait_for((self.folder / "munge.socket").exists, 10, "munged listens")
        self.launch("slurmctld", "-D", "-f", settings)
        # Each node has its own host name for jobs: MPI would take two nodes with the same name for one, and mix up
        # their files.
        hosts = self.folder / "hosts"
        hosts.write_text(pathlib.Path("/etc/hosts").read_text() + "127.0.0.1 node1 node2\n")
        for name in ("node1", "node2"):
            self.launch("unshare", "--uts", "--mount", "sh", "-c", 'hostname "$1" && mount --bind "$2" /etc/hosts; shift 2; exec "$@"',
                        "sh", name, hosts, program("slurmd"), "-D", "-f", settings, "-N", name)
        wait_for(lambda: self.ask("sinfo", "--noheader", "--format=%T %D") == "idle 2", 60, self.trouble)

    def launch(self, name, *words):
        log = open(self.folder / f"{name}.out", "ab")
        self.daemons.append(subprocess.Popen([program(name), *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log, start_new_session=True))
        log.close()

    def trouble(self):
        """The last lines of each daemon's log."""
        text = "a node that is idle"
        for log in sorted(self.folder.glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-5:]
            text += "".join(f"\n  {log.name}: {line}" for line in lines)
        return text

    def __exit__(self, *_):
        if hasattr(self, "environment"):
            subprocess.run([program("scancel"), "--user=root", "--full"], env=self.environment, capture_output=True, timeout=20,
                           check=False)
        for signal_number, seconds in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
            for daemon in reversed(self.daemons):
                if daemon.poll() is None:
                    daemon.send_signal(signal_number)
            for daemon in self.daemons:
                try:
                    daemon.wait(seconds)
                except subprocess.TimeoutExpired:
                    pass
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self):
        """Processes with this cluster's settings in their environment: its daemons' children, and jobs."""
        found = []
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if int(place.name) != os.getpid() and mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
            except (OSError, ValueError):
                pass  # the process has ended
        return found

    def ask(self, *words):
        """The output of a Slurm command; empty if it fails."""
        done = subprocess.run([program(words[0]), *map(str, words[1:])], env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def tell(self, *words):
        """Throws ClusterError if it fails."""
        done = subprocess.run([program(words[0]), *map(str, words[1:])], env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)
        if done.returncode != 0:
            raise ClusterError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout.strip()

    def fields(self, job):
        """The output of `scontrol show job`, by name."""
        text = self.ask("scontrol", "--oneliner", "show", "job", job)
        return dict(re.findall(r"(\S+?)=(\S*)", text))

    def version(self):
        return self.ask("sinfo", "--version")

#!/bin/sh
# Searches over real clusters: sh tests/r/cluster.sh LIBRARY
#
# Starts munge and Slurm on this host, with nodes of made-up names, each a slurmd of its own, and
# runs cluster.R; whatever happens, ends them again. Needs to be root, as slurmd does.
# Ends with `cluster: N passed, N failed`.
here=`cd "\`dirname "$0"\`" && pwd`
library=`cd "$1" && pwd`
PATH=$PATH:/usr/sbin:/sbin

# leave_out WHY
leave_out () {
  echo "not run: $1"
  echo "cluster: 0 passed, 0 failed"
  exit 0
}
for needed in munged slurmctld slurmd sbatch; do
  command -v $needed > /dev/null 2>&1 || leave_out "Slurm or munge is missing"
done
test "`id -u`" = 0 || leave_out "Slurm can be started by root alone"
Rscript --vanilla -e 'quit(status = !requireNamespace("future.batchtools", quietly = TRUE))' ||
  leave_out "future.batchtools is missing"

dir=`mktemp -d /tmp/contree-cluster-XXXXXX` || exit 1
SLURM_CONF=$dir/slurm.conf
USER=`id -un` # whose jobs batchtools asks for
export SLURM_CONF USER

# Daemons by the files that they wrote their ids to, and jobs by what slurmd started: all of these
# have $dir in their environment.
end_all () {
  others=
  trap '' EXIT
  scancel --user=root > /dev/null 2>&1
  for file in "$dir"/*.pid; do test -f "$file" && kill "`cat "$file"`" 2> /dev/null; done
  for process in /proc/[0-9]*; do
    id=${process#/proc/}
    test "$id" = $$ || ! tr '\0' '\n' 2> /dev/null < "$process/environ" |
      grep -qx "SLURM_CONF=$SLURM_CONF" || others="$others $id"
  done
  for id in $others; do
    case `cat "/proc/$id/comm" 2> /dev/null` in
      slurm*|R|Rscript|munged) kill -9 "$id" 2> /dev/null ;;
    esac
  done
  rm -rf "$dir"
}
trap end_all EXIT
trap 'exit 1' HUP INT TERM

# ---- munge and Slurm ----

chmod 755 "$dir"
mkdir -p "$dir/state" "$dir/spool" "$dir/work"
dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2> /dev/null
chmod 600 "$dir/munge.key"
munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" \
  --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munged.seed" || exit 1
host=`hostname -s`
# Ports of which nobody else here has any.
port=`expr 20000 + $$ % 10000`
cat > "$SLURM_CONF" << END
ClusterName=contree
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=10000
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
MinJobAge=300
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=`expr $port + 1` CPUs=1
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=`expr $port + 2` CPUs=1
NodeName=node3 NodeHostname=$host NodeAddr=127.0.0.1 Port=`expr $port + 3` CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
END
slurmctld || exit 1
for node in node1 node2 node3; do slurmd -N $node || exit 1; done

# ---- searches ----

cd "$dir/work" &&
  R_LIBS=$library:$R_LIBS Rscript --vanilla "$here/cluster.R" "$library"
status=$?
if test $status -ne 0; then tail -n 20 "$dir"/slurmctld.log; fi
exit $status

#!/usr/bin/env bash
# Stands in for openshift-install: leaves the files that the real one leaves, and a record of how it was called.
set -euo pipefail
notes="$(dirname "$0")"
# The folder of fetched installers belongs to the service.
[ -w "$notes" ] || notes="$4"
record="$notes/record"
{
  echo "args: $*"
  echo "cwd: $(pwd -P)"
  env | grep -E '^(OPENSHIFT_|HOME=|SECRET_)' | sort
} >>"$record"
[ "$1" = create ] && [ "$3" = --dir ] || { echo "unknown arguments" >&2; exit 64; }
if [ -f "$(dirname "$0")/fail" ]; then
  for i in $(seq 1 60); do echo "level=info msg=line $i of unneeded output" >&2; done
  echo "level=fatal msg=failed to fetch $2: no such platform" >&2
  exit 3
fi
cd "$4"
file() { printf '{"path":"%s","mode":420,"contents":{"source":"data:text/plain;charset=utf-8;base64,%s"}}' "$1" "$(base64 -w 0 <"$2")"; }
case "$2" in
  manifests)
    [ "$notes" = "$4" ] || cp install-config.yaml "$notes/install-config.yaml"
    rm install-config.yaml
    mkdir -p manifests openshift
    printf 'spec:\n  mastersSchedulable: false\n' >manifests/cluster-scheduler-02-config.yml
    printf 'status:\n  infrastructureTopology: SingleReplica\n' >manifests/cluster-infrastructure-02-config.yml
    printf 'spec:\n  clusterID: 5c0ffee0-0000-4000-8000-000000000000\n' >manifests/cvo-overrides.yaml
    printf 'kind: BareMetalHost\nmetadata:\n  name: worker-3\nspec:\n  online: true\n' >openshift/99_openshift-cluster-api_hosts-3.yaml
    echo 'kind: Machine' >openshift/99_openshift-cluster-api_master-machines-0.yaml
    ;;
  ignition-configs | single-node-ignition-config)
    files=$(for path in manifests/* openshift/*; do file "/opt/openshift/$path" "$path"; printf ','; done)
    echo hi >motd
    config=$(printf '{"ignition":{"version":"3.2.0"},"storage":{"files":[%s%s,%s]}}' "$files" "$(file /etc/motd motd)" "$(file /etc/x.nmconnection motd)")
    mkdir -p auth && echo -n pass-word >auth/kubeadmin-password && echo 'kind: Config' >auth/kubeconfig
    echo '{"clusterName":"demo"}' >metadata.json
    if [ "$2" = single-node-ignition-config ]; then
      echo "$config" >bootstrap-in-place-for-live-iso.ign
    else
      echo "$config" >bootstrap.ign
      for role in master worker; do
        echo "{\"ignition\":{\"version\":\"3.2.0\",\"config\":{\"merge\":[{\"source\":\"https://api-int.demo.example.com:22623/config/$role\"}]}}}" >$role.ign
      done
    fi
    ;;
esac

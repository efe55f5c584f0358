import { shellQuote } from '../discovery/proxy';

export const DONE_PATH = '/opt/openshift/.bootkube.done';
const KUBECONFIG_PATH = '/opt/openshift/auth/kubeconfig';
const PULL_SECRET_PATH = '/root/.docker/config.json';

/** Scripts of the bootstrap host by file name; each unit of the same name runs one. */
export function bootstrapScripts(releaseImage: string): readonly {
  readonly unit: string;
  readonly script: string;
  readonly description: string;
  readonly text: string;
}[] {
  return [
    {
      unit: 'release-image.service',
      script: '/usr/local/bin/release-image-download.sh',
      description: 'Fetch the release image',
      text: `#!/bin/sh
until podman pull --quiet --authfile ${PULL_SECRET_PATH} ${shellQuote(releaseImage)}; do
  echo "Fetching the release image did not work; next try in 10 seconds."
  sleep 10
done
`,
    },
    {
      unit: 'bootkube.service',
      script: '/usr/local/bin/bootkube.sh',
      description: 'Bring up a temporary control plane',
      text: `#!/bin/sh
# The built-in toolchain makes the credentials and the pointers of a cluster. The stages that start a real control plane
# come with the manifests of the release.
if [ -f ${DONE_PATH} ]; then exit 0; fi
echo "This bootstrap config has no control plane stages: prepare the installation with the openshift-install toolchain." >&2
exit 1
`,
    },
    {
      unit: 'approve-csr.service',
      script: '/usr/local/bin/approve-csr.sh',
      description: 'Let the nodes of the new cluster in until it does so itself',
      text: `#!/bin/sh
export KUBECONFIG=${KUBECONFIG_PATH}
until [ -f ${DONE_PATH} ]; do
  oc get csr --no-headers 2>/dev/null | awk '/Pending/ { print $1 }' | xargs --no-run-if-empty oc adm certificate approve
  sleep 20
done
`,
    },
    {
      unit: 'progress.service',
      script: '/usr/local/bin/report-progress.sh',
      description: 'Say in the new cluster when bootstrapping is complete',
      text: `#!/bin/sh
export KUBECONFIG=${KUBECONFIG_PATH}
until [ -f ${DONE_PATH} ]; do sleep 5; done
until oc get configmap bootstrap --namespace kube-system >/dev/null 2>&1 ||
  oc create configmap bootstrap --namespace kube-system --from-literal status=complete; do sleep 5; done
`,
    },
  ];
}

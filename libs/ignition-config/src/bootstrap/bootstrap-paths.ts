/** Where everything about the new cluster lies on the bootstrap host. */
export const CLUSTER_FOLDER = '/opt/openshift';
export const DONE_PATH = `${CLUSTER_FOLDER}/.bootkube.done`;
/** For programs on the bootstrap host itself. */
export const LOOPBACK_KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig-loopback`;
export const KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig`;
export const SCRIPT_FOLDER = '/usr/local/bin';
export const RELEASE_FUNCTIONS = `${SCRIPT_FOLDER}/release-image.sh`;

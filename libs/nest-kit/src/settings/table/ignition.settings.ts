import { boolean, bytes, duration, integer, lifetime, path, text, timeout } from '../setting';

const IGNITION = { readBy: ['ignition'] } as const;
const MINUTE_MS = 60_000;

/** Settings of the ignition service: what hosts boot with and what installs a cluster. */
export const IGNITION_SETTINGS = {
  SKIP_CERT_VERIFICATION: boolean({
    ...IGNITION,
    fallback: false,
    meaning: 'Whether agents skip the check of the certificate of `SERVICE_BASE_URL`.',
  }),
  SERVICE_CA_CERT_PATH: path({
    readBy: ['ignition', 'image'],
    meaning: 'The PEM file with the certificate authority that signed the certificate of `SERVICE_BASE_URL`.',
  }),
  INSTALL_RH_CA: boolean({
    ...IGNITION,
    fallback: false,
    meaning:
      'Whether hosts and the nodes of new clusters trust the certificate authority of the internal network of Red Hat (Red Hat IT Root CA).',
  }),
  RH_CA_PATH: path({
    ...IGNITION,
    fallbackText: 'the certificate that assisted-service adds, valid until 2055',
    meaning: 'A PEM file that `INSTALL_RH_CA` adds to discovery images and install-configs instead.',
  }),
  DISK_ENCRYPTION_CIPHER: text({
    ...IGNITION,
    fallback: '',
    fallbackText: "LUKS's own",
    meaning: 'The cipher of encrypted disks.',
  }),
  ENABLE_OKD_SUPPORT: boolean({ ...IGNITION, fallback: true, meaning: 'Whether `OKD_RPMS_IMAGE` is used.' }),
  OKD_RPMS_IMAGE: text({
    ...IGNITION,
    meaning:
      'The image with the packages that OKD adds to its live system: `okd-rpms` of the release. Without it, discovery images have the configuration of OpenShift.',
  }),
  MIRROR_REGISTRIES_CONF_PATH: path({
    ...IGNITION,
    meaning: 'The registries.conf with the mirrors that every host and cluster uses.',
  }),
  MIRROR_REGISTRIES_CA_PATH: path({
    ...IGNITION,
    meaning: 'The PEM file with certificate authorities of the mirrors. Requires `MIRROR_REGISTRIES_CONF_PATH`.',
  }),
  FORCE_INSECURE_POLICY_JSON: boolean({
    ...IGNITION,
    fallback: false,
    meaning:
      'Whether hosts accept unsigned images from every registry. Applies with `MIRROR_REGISTRIES_CONF_PATH` only.',
  }),
  AGENT_TIMEOUT_START: duration({
    ...IGNITION,
    fallback: 10 * MINUTE_MS,
    meaning: 'The time limit for the start of the agent on a host.',
  }),
  AGENT_NATS_CREDENTIALS_LIFETIME: lifetime({
    readBy: ['registration'],
    fallback: 15 * MINUTE_MS,
    meaning:
      'How long the bus credentials of a host are valid. Hosts renew them. Those of a removed host are revoked at once.',
  }),
  OPENSHIFT_INSTALL_PATH: path({
    ...IGNITION,
    fallbackText: 'extracted from each release',
    meaning: 'The `openshift-install` executable for every release.',
  }),
  WORK_DIR: path({
    ...IGNITION,
    fallbackText: '`muster-ignition/<digest of the data directory>` in the directory for temporary files',
    meaning: 'The directory for installers and their output.',
  }),
  EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR: path({
    ...IGNITION,
    fallbackText: 'generated certificates',
    meaning: 'The directory with the certificates and keys of clusters.',
  }),
  OPENSHIFT_INSTALL_TIMEOUT: timeout({
    ...IGNITION,
    fallback: 10 * MINUTE_MS,
    meaning: 'The time limit for one run of `openshift-install`.',
  }),
  OPENSHIFT_INSTALL_USER_ID: integer({
    ...IGNITION,
    fallback: 64_400,
    min: 1,
    max: 4_294_967_294,
    meaning:
      'The user and group id with which `openshift-install` runs when the service runs as root. Each concurrent run uses the next id. No other process may use these ids, because their processes are ended after each run.',
  }),
  OPENSHIFT_INSTALL_MEMORY_MAX: bytes({
    ...IGNITION,
    fallback: 8 * 1024 ** 3,
    min: 256 * 1024 ** 2,
    meaning: 'The address space of one `openshift-install` process.',
  }),
  INSTALL_INVOKER: text({
    ...IGNITION,
    fallback: 'assisted-installer',
    meaning: 'The name of the installer that new clusters report.',
  }),
};

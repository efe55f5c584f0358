import { shellQuote } from '@muster/ignition-config';
import { type InstallerSettings, proxyEnvironment } from '../settings';

export const MANIFESTS_FOLDER = '/opt/openshift/manifests';
const NAME = 'assisted-installer-controller';
const NAMESPACE = 'assisted-installer';
const LABELS = { app: NAME };
const METADATA = { name: NAME, namespace: NAMESPACE, labels: LABELS };
const HOST_PROGRAM = '/var/lib/muster/muster-host';
const RETRY_SECONDS = 5;

type Manifest = { readonly [member: string]: unknown };

/** Returns the manifests that run the controller in the new cluster: file name → text. JSON is valid YAML. */
export function controllerManifests(settings: InstallerSettings): ReadonlyMap<string, string> {
  const manifests: readonly (readonly [string, Manifest])[] = [
    ['namespace', namespace],
    ['sa', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: METADATA }],
    ['clusterrole', clusterRole],
    ['rolebinding', roleBinding],
    ['network-policy', networkPolicy],
    ['cm', configMap(settings)],
    ['secret', secret(settings)],
    ['pod', job(settings)],
  ];
  return new Map(
    manifests.map(([name, manifest]) => [`${NAME}-${name}.yaml`, `${JSON.stringify(manifest, undefined, 2)}\n`]),
  );
}

const namespace: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: NAMESPACE,
    labels: {
      'pod-security.kubernetes.io/enforce': 'privileged',
      'pod-security.kubernetes.io/audit': 'privileged',
      'pod-security.kubernetes.io/warn': 'privileged',
      'security.openshift.io/scc.podSecurityLabelSync': 'false',
    },
  },
};

const ALL_READ = ['get', 'list', 'watch'];
/** API group, resources, verbs. */
const RULES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['', ['pods', 'configmaps', 'pods/log'], ALL_READ],
  ['', ['pods'], ['deletecollection']],
  ['', ['nodes'], [...ALL_READ, 'patch']],
  ['', ['events'], [...ALL_READ, 'create']],
  ['', ['namespaces'], ['patch']],
  ['', ['services'], ['list', 'get', 'delete']],
  ['batch', ['jobs'], ['get', 'list', 'delete']],
  ['certificates.k8s.io', ['certificatesigningrequests'], ALL_READ],
  ['certificates.k8s.io', ['certificatesigningrequests/approval'], ['update']],
  ['config.openshift.io', ['clusteroperators', 'clusterversions', 'proxies'], ALL_READ],
  ['operator.openshift.io', ['etcds', 'ingresscontrollers'], ['patch']],
  ['metal3.io', ['baremetalhosts', 'baremetalhosts/status'], [...ALL_READ, 'update', 'patch']],
  ['metal3.io', ['provisionings'], ALL_READ],
  ['machine.openshift.io', ['machines'], ALL_READ],
  ['operators.coreos.com', ['clusterserviceversions'], ALL_READ],
  ['operators.coreos.com', ['subscriptions', 'installplans'], [...ALL_READ, 'delete']],
  ['machineconfiguration.openshift.io', ['*'], ['patch', 'get', 'list']],
];

const clusterRole: Manifest = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: NAME, labels: LABELS },
  rules: [
    ...RULES.map(([group, resources, verbs]) => ({ apiGroups: [group], resources, verbs })),
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving'],
      verbs: ['approve'],
    },
    {
      apiGroups: ['security.openshift.io'],
      resources: ['securitycontextconstraints'],
      resourceNames: [
        'anyuid',
        'nonroot',
        'hostmount-anyuid',
        'machine-api-termination-handler',
        'hostnetwork',
        'hostaccess',
        'node-exporter',
        'privileged',
        'restricted',
      ],
      verbs: ['use'],
    },
  ],
};

const roleBinding: Manifest = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: NAME, labels: LABELS },
  subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }],
  roleRef: { kind: 'ClusterRole', name: NAME, apiGroup: 'rbac.authorization.k8s.io' },
};

const networkPolicy: Manifest = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'assisted-installer-network-policy', namespace: NAMESPACE },
  spec: { podSelector: {}, policyTypes: ['Ingress'] },
};

const configMap = (settings: InstallerSettings): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...METADATA, name: `${NAME}-config` },
  data: {
    'cluster-id': settings.clusterId,
    'inventory-url': settings.serviceUrl,
    'skip-cert-verification': String(settings.isInsecure),
    'ca-cert-path': settings.caPath,
    'check-cluster-version': String(settings.checksClusterVersion),
    'control-plane-count': controlPlaneCountOf(settings),
    'must-gather-image': settings.mustGatherImage,
    'notify-num-reboots': String(settings.notifiesReboots),
  },
});

/** An unknown number is 0 for container images, as assisted-installer writes it. The executable takes its default instead. */
const controlPlaneCountOf = ({ controller, controlPlaneCount: count }: InstallerSettings): string =>
  count === 0 && controller.kind !== 'container' ? '' : String(count);

const SECRET_NAME = `${NAME}-secret`;
const TOKEN_KEY = 'pull-secret-token';

const secret = ({ token }: InstallerSettings): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...METADATA, name: SECRET_NAME },
  type: 'Opaque',
  data: { [TOKEN_KEY]: Buffer.from(token).toString('base64') },
});

/** Environment variables of the controller, with their key in the ConfigMap. */
const VARIABLES = {
  CLUSTER_ID: 'cluster-id',
  INVENTORY_URL: 'inventory-url',
  SKIP_CERT_VERIFICATION: 'skip-cert-verification',
  CA_CERT_PATH: 'ca-cert-path',
  CHECK_CLUSTER_VERSION: 'check-cluster-version',
  CONTROL_PLANE_COUNT: 'control-plane-count',
  MUST_GATHER_IMAGE: 'must-gather-image',
  NOTIFY_NUM_REBOOTS: 'notify-num-reboots',
};

function job(settings: InstallerSettings): Manifest {
  const isSingleNode = settings.controlPlaneCount === 1;
  const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });
  const mounts = [
    { name: 'token', path: '/etc/assisted-installer-controller', source: tokenVolume },
    { name: 'pki', path: '/etc/pki', source: { hostPath: { path: '/etc/pki' } } },
    { name: 'host-root', path: '/host', source: { hostPath: { path: '/' } } },
    // The controller adds these files to its logs when the installation fails.
    {
      name: 'var-run-resolv-conf',
      path: '/tmp/var-run-resolv.conf',
      source: { hostPath: { path: '/var/run/NetworkManager/resolv.conf' } },
    },
    { name: 'host-resolv-conf', path: '/tmp/host-resolv.conf', source: { hostPath: { path: '/etc/resolv.conf' } } },
    // Every node has the certificate authority of the service at the path that the discovery image uses.
    ...(settings.caPath
      ? [{ name: 'service-ca', path: settings.caPath, source: { hostPath: { path: settings.caPath } } }]
      : []),
    ...(isSingleNode
      ? [
          {
            name: 'bootstrap-secrets',
            path: '/tmp/bootstrap-secrets',
            source: { hostPath: { path: '/etc/kubernetes/bootstrap-secrets' } },
          },
        ]
      : []),
  ];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: METADATA,
    spec: {
      backoffLimit: 100,
      template: {
        metadata: { labels: LABELS },
        spec: {
          restartPolicy: 'OnFailure',
          hostNetwork: true,
          serviceAccountName: NAME,
          nodeSelector: { 'node-role.kubernetes.io/master': '' },
          tolerations: [
            tolerate('node-role.kubernetes.io/master'),
            ...(isSingleNode
              ? [tolerate('node.kubernetes.io/not-ready'), tolerate('node.kubernetes.io/network-unavailable')]
              : []),
          ],
          ...(settings.serviceIps.length > 0 && {
            hostAliases: settings.serviceIps.map((ip) => ({ ip, hostnames: ['assisted-api.local.openshift.io'] })),
          }),
          containers: [
            {
              name: NAME,
              ...programOf(settings),
              securityContext: { privileged: true },
              env: [
                { name: 'OPENSHIFT_VERSION', value: settings.openshiftVersion },
                ...Object.entries(VARIABLES).map(([name, key]) => ({
                  name,
                  valueFrom: { configMapKeyRef: { name: `${NAME}-config`, key } },
                })),
                // Controller images of older releases do not read the file.
                { name: 'PULL_SECRET_TOKEN', valueFrom: { secretKeyRef: { name: SECRET_NAME, key: TOKEN_KEY } } },
              ],
              volumeMounts: mounts.map(({ name, path }) => ({ name, mountPath: path })),
            },
          ],
          volumes: mounts.map(({ name, source }) => ({ name, ...source })),
        },
      },
    },
  };
}

/** Without items, the file would have the name of the key, and the controller reads the file "token". */
const tokenVolume = {
  secret: { secretName: SECRET_NAME, defaultMode: 0o400, items: [{ key: TOKEN_KEY, path: 'token' }] },
};

/** Without limits, curl waits for a service that lost its power without closing the connection. */
const DOWNLOAD_LIMITS = '--connect-timeout 30 --speed-limit 1 --speed-time 60';

/**
 * Returns the image and command of the container. The Muster executable needs no image of its own: a container of an
 * image that every release contains downloads it to the host, checks its digest and runs it.
 */
function programOf(settings: InstallerSettings): Manifest {
  const { caPath, controller, isInsecure, mcoImage } = settings;
  if (controller.kind === 'container') return { image: controller.image, imagePullPolicy: 'IfNotPresent' };
  const file = `/host${HOST_PROGRAM}`;
  const proxies = Object.entries(proxyEnvironment(settings)).map(([name, value]) => ` ${name}=${shellQuote(value)}`);
  const trust = isInsecure ? ' --insecure' : '';
  const options = `--silent --show-error --fail --location ${DOWNLOAD_LIMITS}${trust} --output ${file}`;
  // The certificate can be signed by the authority of the service or by one that the node trusts.
  const attempts = [...(caPath ? [`download --cacert ${shellQuote(caPath)}`] : []), 'download', 'true'];
  const script = [
    'set -e',
    `mkdir -p ${file.replace(/\/[^/]+$/, '')}`,
    // The proxy applies to this download only. The controller reads the proxy of the cluster.
    `download() { env${proxies.join('')} curl ${options} "$@" ${shellQuote(controller.url)}; }`,
    `is_complete() { echo "${controller.sha256}  ${file}" | sha256sum --check --status 2>/dev/null; }`,
    'until is_complete; do',
    `  ${attempts.join(' || ')}`,
    '  is_complete && break',
    `  echo "The downloaded program does not have the digest ${controller.sha256}. Next try in ${RETRY_SECONDS} seconds."`,
    `  sleep ${RETRY_SECONDS}`,
    'done',
    `chmod 0755 ${file}`,
    `exec ${file} controller`,
  ];
  // Kubernetes replaces variables in a command, and reads $$ as one dollar sign. A password can have one.
  const text = script.join('\n').replaceAll('$', '$$$$');
  return { image: mcoImage, imagePullPolicy: 'IfNotPresent', command: ['/bin/bash', '-c', text] };
}

import { VERSION } from '@muster/feature-support';
import { type TNull, type TOptional, type TSchema, type TUnion, Type } from '@sinclair/typebox';
import { boolean, choice, json, lifetime, list, path, text } from '../setting';

const HOUR_MS = 3_600_000;

const absentOrNull = <S extends TSchema>(schema: S): TOptional<TUnion<[S, TNull]>> =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const IMAGE_MEMBERS = {
  openshift_version: Type.String(),
  cpu_architecture: Type.String(),
  url: Type.String(),
  version: Type.String(),
};
const IMAGES_EXPECTED =
  'a JSON array of objects with openshift_version, cpu_architecture, url and version, each a text';

const OS_IMAGES = Type.Array(
  Type.Object({
    ...IMAGE_MEMBERS,
    type: Type.Optional(
      Type.Unsafe<'full-iso' | 'disconnected-iso'>({ type: 'string', enum: ['full-iso', 'disconnected-iso'] }),
    ),
    sha256: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$', expected: '64 hexadecimal digits' })),
  }),
);
const RELEASE_IMAGES = Type.Array(
  Type.Object({
    ...IMAGE_MEMBERS,
    version: Type.String({
      pattern: VERSION.source,
      expected: 'a version of OpenShift such as 4.18.3, not the build of an operating system image',
    }),
    cpu_architectures: absentOrNull(Type.Array(Type.String())),
    default: absentOrNull(Type.Boolean()),
    support_level: absentOrNull(Type.String()),
    simulated: absentOrNull(Type.Boolean()),
  }),
);
export const RELEASE_SOURCES = Type.Array(
  Type.Object({
    openshift_version: Type.String(),
    multi_cpu_architectures: Type.Array(Type.String()),
    upgrade_channels: Type.Array(Type.Object({ cpu_architecture: Type.String(), channels: Type.Array(Type.String()) })),
  }),
);

/** Settings that several services read and that must have the same meaning in each. */
export const SHARED_SETTINGS = {
  AGENT_DOCKER_IMAGE: text({
    readBy: ['registration', 'validation', 'ignition', 'gateway'],
    fallback: 'quay.io/muster/agent:latest',
    meaning: 'The container image of the discovery agent.',
  }),
  INSTALLER_IMAGE: text({
    readBy: ['registration', 'gateway'],
    fallback: 'quay.io/muster/installer:latest',
    meaning: 'The container image of the installer that writes the disk of a host.',
  }),
  CONTROLLER_IMAGE: text({
    readBy: ['registration', 'gateway'],
    fallback: 'quay.io/muster/controller:latest',
    meaning:
      'The container image of the controller that runs in the new cluster. Required together with `INSTALLER_IMAGE` when `MUSTER_HOST_BINARIES` is set.',
  }),
  MUSTER_HOST_BINARIES: path({
    readBy: ['registration', 'validation', 'ignition', 'gateway', 'image'],
    fallbackText: '`dist/muster-host` of the repository, if `npm run build:host` created it',
    meaning:
      'The directory with the executables that hosts download and run. Component images that are set take precedence.',
  }),
  MUSTER_HOST_ARCHITECTURES: list({
    readBy: ['build:host'],
    fallbackText: 'the architecture of this machine and those of the last build',
    meaning:
      'The architectures for which `npm run build:host` and `npm start` create the executable for hosts, as `uname -m` prints them: `x86_64,aarch64`.',
  }),
  AUTH_TYPE: choice({
    readBy: ['muster', 'gateway', 'ignition', 'image'],
    choices: ['none', 'local', 'agent-installer-local', 'oidc', 'rhsso'],
    fallback: 'none',
    meaning: 'How callers authenticate. `rhsso` is another name of `oidc`.',
  }),
  EC_PUBLIC_KEY_PEM: text({
    readBy: ['gateway', 'image'],
    fallback: '',
    fallbackText: 'none',
    meaning:
      'PEM text, or that text in base64, of the P-256 public key that checks tokens. Required by `AUTH_TYPE=local` and `agent-installer-local`.',
  }),
  EC_PRIVATE_KEY_PEM: text({
    readBy: ['gateway', 'ignition'],
    fallback: '',
    fallbackText: 'none',
    isSecret: true,
    meaning:
      'PEM text, or that text in base64, of the P-256 private key that signs tokens. Required by `AUTH_TYPE=local`.',
  }),
  LOCAL_TOKEN_LIFETIME: lifetime({
    readBy: ['gateway', 'ignition'],
    fallback: 8_760 * HOUR_MS,
    meaning: 'How long tokens are valid that the service signs.',
  }),
  OS_IMAGES: json({
    readBy: ['muster', 'gateway', 'image'],
    aliases: ['RHCOS_VERSIONS'],
    schema: OS_IMAGES,
    expected: IMAGES_EXPECTED,
    fallbackText: 'the catalogue in `libs/assisted-api`',
    meaning: 'The base images from which discovery images are made.',
  }),
  RELEASE_IMAGES: json({
    readBy: ['gateway', 'ignition'],
    schema: RELEASE_IMAGES,
    expected: IMAGES_EXPECTED,
    fallbackText: 'the catalogue in `libs/assisted-api`',
    meaning:
      'The releases that can be installed. `"simulated": true` marks a release that only simulated hosts install; all others are real.',
  }),
  ALLOWED_RELEASE_REGISTRIES: list({
    readBy: ['gateway', 'ignition'],
    meaning:
      'Registries, with an optional path such as `quay.io/openshift-release-dev`, whose images every user may name in `ocp_release_image`. Administrators may name any image. The service runs a program from that image. With `AUTH_TYPE=oidc`, mirrors in manifests of a cluster supply its release only from these registries, from repositories of `RELEASE_IMAGES` and from mirrors of `MIRROR_REGISTRIES_CONF_PATH`.',
  }),
  INSTALL_TOOLCHAIN: choice({
    readBy: ['gateway', 'ignition'],
    choices: ['auto', 'builtin', 'openshift-install'],
    fallback: 'auto',
    meaning:
      'The program that creates the installation artifacts. `auto` uses `builtin` for releases that `RELEASE_IMAGES` marks as simulated, and `openshift-install`, the installer of the release, for all others. `builtin` refuses real releases.',
  }),
  HW_VALIDATOR_REQUIREMENTS: text({
    readBy: ['registration', 'validation', 'events', 'gateway'],
    fallbackText: 'the table of assisted-service v2',
    meaning:
      'A JSON list: minimum CPU cores, memory, disk and network per role and version. Measured changes of latency are recorded in steps of 10 ms, above 100 ms in steps of 100 ms up to 1,000 ms, and of packet loss in whole percents. Limits that equal such a step are checked exactly. Any other limit may be exceeded within its step. A latency limit below 10 ms may have the effect of 10 ms, and above 1,000 ms later changes are not seen.',
  }),
  EDGE_WORKERS_PRODUCT_NAMES: list({
    readBy: ['registration', 'validation', 'events'],
    fallback: ['BlueField SoC'],
    meaning: 'Product names of machines that have the reduced requirements of an edge worker.',
  }),
  ENABLE_UPGRADE_AGENT: boolean({
    readBy: ['registration', 'validation'],
    fallback: true,
    meaning: 'Whether agents whose image differs from `AGENT_DOCKER_IMAGE` are upgraded.',
  }),
  ENABLE_SINGLE_NODE_DNSMASQ: boolean({
    readBy: ['validation', 'ignition'],
    fallback: false,
    fallbackText:
      '`true` when all services run in one process, as the deployments of assisted-service set it; otherwise `false`',
    meaning:
      'Whether single-node clusters run dnsmasq for `api`, `api-int` and `*.apps` of the cluster. The DNS validations of a single node then pass without DNS records.',
  }),
  ALLOWED_DOMAINS: list({
    readBy: ['image', 'gateway'],
    meaning: 'Origins from which browsers may send requests. `*` matches any part of an origin.',
  }),
};

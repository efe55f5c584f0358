import {
  areOsImages,
  areReleaseImages,
  areReleaseSources,
  CATALOGUE_SHAPES,
  DEFAULT_OS_IMAGES,
  DEFAULT_RELEASE_IMAGES,
  DEFAULT_RELEASE_SOURCES,
  type OsImage,
  type ReleaseImage,
  type ReleaseSource,
} from '@muster/assisted-api';
import {
  type Environment,
  readHardwareRequirements,
  readOperatorSettings,
  SettingError,
  SettingsReader,
} from '@muster/nest-kit';
import type { OperatorSettings } from '@muster/operators';
import type { RequirementsTable } from '@muster/validation-rules';

const AUTH_TYPES = ['none', 'local'] as const;
const MS_PER_HOUR = 3_600_000;
const PORT_RANGE = { min: 0, max: 65_535 };

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly authType: (typeof AUTH_TYPES)[number];
  /** PEM; needed in AUTH_TYPE=local. */
  readonly ecPublicKeyPem: string;
  readonly ecPrivateKeyPem: string;
  /** Where hosts download boot images; undefined: port 8888 of the address that the request came to. */
  readonly imageServiceBaseUrl: string | undefined;
  readonly imageServicePort: number;
  /** Where machines reach this API; undefined: where the request came to. */
  readonly serviceBaseUrl: string | undefined;
  readonly releaseImages: readonly ReleaseImage[];
  readonly osImages: readonly OsImage[];
  readonly releaseSources: readonly ReleaseSource[];
  readonly requirements: RequirementsTable;
  /** What was set for single OLM operators. */
  readonly operatorSettings: OperatorSettings;
  readonly ntpDefaultServer: string;
  readonly inactiveDeletionHours: number;
  /** Component name to image or version, as people are shown it. */
  readonly componentVersions: { readonly [component: string]: string };
  readonly releaseTag: string;
}

/** Injection token of the gateway's configuration. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** Throws SettingError on the first setting that cannot be used. */
export function readGatewayConfig(environment: Environment): GatewayConfig {
  const read = new SettingsReader(environment);
  const authType = read.choice('AUTH_TYPE', AUTH_TYPES, 'none');
  return {
    host: read.text('REST_HOST', '0.0.0.0'),
    port: read.integer('REST_PORT', read.integer('PORT', 8090, PORT_RANGE), PORT_RANGE),
    authType,
    ecPublicKeyPem: read.text('EC_PUBLIC_KEY_PEM', ''),
    ecPrivateKeyPem: read.text('EC_PRIVATE_KEY_PEM', ''),
    imageServiceBaseUrl: read.optionalText('IMAGE_SERVICE_BASE_URL')?.replace(/\/+$/, ''),
    // Named as the image service names its own port, so that one setting moves both.
    imageServicePort: read.integer('IMAGE_PORT', read.integer('IMAGE_SERVICE_PORT', 8888, PORT_RANGE), PORT_RANGE),
    serviceBaseUrl: read.optionalText('SERVICE_BASE_URL')?.replace(/\/+$/, ''),
    releaseImages: catalogue(read, 'RELEASE_IMAGES', DEFAULT_RELEASE_IMAGES, areReleaseImages),
    // The older name is that of image services of today; both have to mean the same here and there.
    osImages: catalogue(
      read,
      read.optionalText('OS_IMAGES') ? 'OS_IMAGES' : 'RHCOS_VERSIONS',
      DEFAULT_OS_IMAGES,
      areOsImages,
    ),
    releaseSources: catalogue(read, 'RELEASE_SOURCES', DEFAULT_RELEASE_SOURCES, areReleaseSources),
    requirements: readHardwareRequirements(read),
    operatorSettings: readOperatorSettings(read),
    ntpDefaultServer: read.text('NTP_DEFAULT_SERVER', ''),
    inactiveDeletionHours: read.durationMs('DELETED_INACTIVE_AFTER', 480 * MS_PER_HOUR) / MS_PER_HOUR,
    componentVersions: {
      'assisted-installer': read.text('INSTALLER_IMAGE', 'quay.io/muster/installer:latest'),
      'assisted-installer-controller': read.text('CONTROLLER_IMAGE', 'quay.io/muster/controller:latest'),
      'assisted-installer-service': read.text('SELF_VERSION', 'muster'),
      'discovery-agent': read.text('AGENT_DOCKER_IMAGE', 'quay.io/muster/agent:latest'),
    },
    releaseTag: read.text('RELEASE_TAG', ''),
  };
}

function catalogue<Items>(
  read: SettingsReader,
  name: keyof typeof CATALOGUE_SHAPES,
  fallback: Items,
  are: (value: unknown) => value is Items,
): Items {
  const given = read.json<unknown>(name, fallback);
  if (are(given)) return given;
  throw new SettingError(name, JSON.stringify(given).slice(0, 80), CATALOGUE_SHAPES[name]);
}

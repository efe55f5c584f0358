/** The settings of the controller, from the environment of its Job. */
export interface ControllerSettings {
  readonly clusterId: string;
  readonly serviceUrl: string;
  readonly token: string;
  readonly isInsecure: boolean;
  readonly caPem?: string;
  readonly openshiftVersion: string;
  readonly controlPlaneCount: number;
  readonly checksClusterVersion: boolean;
  /** Image reference, or a JSON object of image references by operator; `ocp` is the general one. */
  readonly mustGatherImage: string;
  readonly notifiesReboots: boolean;
}

/** A setting of the controller is missing or wrong. */
export class BadControllerSettings extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BadControllerSettings';
  }
}

export const TOKEN_FILE = '/etc/assisted-installer-controller/token';

/** Reads the environment of the Job. `readFile` returns undefined when a file does not exist. @throws BadControllerSettings */
export function readControllerSettings(
  environment: { readonly [name: string]: string | undefined },
  readFile: (path: string) => string | undefined,
): ControllerSettings {
  const required = (name: string): string => {
    const value = environment[name];
    if (!value) throw new BadControllerSettings(`The environment variable ${name} is not set.`);
    return value;
  };
  const flag = (name: string): boolean => {
    const value = environment[name] ?? '';
    if (!['', 'true', 'false', '1', '0'].includes(value))
      throw new BadControllerSettings(`${name} is "${value}". Allowed: true, false.`);
    return value === 'true' || value === '1';
  };
  const count = Number(environment['CONTROL_PLANE_COUNT'] || DEFAULT_CONTROL_PLANE_COUNT);
  if (!Number.isInteger(count) || count < 1)
    throw new BadControllerSettings(
      `CONTROL_PLANE_COUNT is "${environment['CONTROL_PLANE_COUNT']}". Use a whole number from 1.`,
    );
  const caPath = environment['CA_CERT_PATH'];
  const caPem = caPath ? readFile(caPath) : undefined;
  if (caPath && caPem === undefined)
    throw new BadControllerSettings(`CA_CERT_PATH names ${caPath}, which cannot be read.`);
  return {
    clusterId: required('CLUSTER_ID'),
    serviceUrl: required('INVENTORY_URL'),
    openshiftVersion: environment['OPENSHIFT_VERSION'] ?? '',
    token: (readFile(TOKEN_FILE) ?? environment['PULL_SECRET_TOKEN'] ?? '').trim(),
    isInsecure: flag('SKIP_CERT_VERIFICATION'),
    caPem,
    controlPlaneCount: count,
    checksClusterVersion: flag('CHECK_CLUSTER_VERSION'),
    mustGatherImage: environment['MUST_GATHER_IMAGE'] ?? '',
    notifiesReboots: flag('NOTIFY_NUM_REBOOTS'),
  };
}

const DEFAULT_CONTROL_PLANE_COUNT = 3;

import { readFileSync } from 'node:fs';
import { CLUSTER_TIMEOUT_TABLE, clusterTimeouts, HOST_TIMEOUT_TABLE, hostTimeouts } from '@muster/domain';
import { operatorSettings, SETTINGS } from '@muster/nest-kit';
import { readConfig } from './config';

const BUS = { NATS_TRUST_FILE: '/trust', AGENT_NATS_URL: 'nats://a' };
const ROLE = { cpu_cores: 1, ram_mib: 1, disk_size_gb: 7, installation_disk_speed_threshold_ms: 3 };
const REQUIREMENTS = [{ version: 'default', master: ROLE, worker: ROLE, sno: ROLE }];
const HOUR_MS = 3_600_000;

/** Each setting with its field of the configuration, a text, and the value of the text, which is not the default. */
const FIELDS: readonly (readonly [name: string, field: string, text: string, value: unknown])[] = [
  ['AGENT_DOCKER_IMAGE', 'images.agent', 'a', 'a'],
  ['INSTALLER_IMAGE', 'images.installer', 'a', 'a'],
  ['CONTROLLER_IMAGE', 'images.controller', 'a', 'a'],
  ['MCO_IMAGE', 'images.machineConfigOperator', 'a', 'a'],
  ['MUST_GATHER_IMAGE', 'images.mustGather', 'a', 'a'],
  ['DISK_CHECK_TIMEOUT', 'steps.diskCheckTimeoutSeconds', '7m', 420],
  ['IMAGE_AVAILABILITY_TIMEOUT', 'steps.imageAvailabilityTimeoutSeconds', '7m', 420],
  ['AGENT_INVENTORY_MAX_SIZE', 'steps.inventoryBytesMax', '7', 7],
  ['AGENT_INVENTORY_DISK_MIN_SIZE', 'steps.inventoryDiskBytesMin', '7', 7],
  ['CHECK_CLUSTER_VERSION', 'monitorsClusterVersion', 'true', true],
  ['ENABLE_SKIP_MCO_REBOOT', 'steps.skipMcoReboot', 'false', false],
  ['DISABLED_STEPS', 'steps.disabledSteps', 'a, b', ['a', 'b']],
  ['ENABLE_UPGRADE_AGENT', 'steps.upgradesAgents', 'false', false],
  ['HOST_MAX_DISCONNECTION_TIME', 'maxDisconnectionMs', '7h', 7 * HOUR_MS],
  ['ENABLE_SOFT_TIMEOUTS', 'softTimeouts', 'true', true],
  ['ENABLE_AUTO_ASSIGN', 'autoAssignsRoles', 'false', false],
  ['BOOTSTRAP_HOST_MAC', 'bootstrapHostMac', '02:00:00:AA:00:01', '02:00:00:aa:00:01'],
  ['HW_VALIDATOR_REQUIREMENTS', 'requirements.standard.master.diskSizeGb', JSON.stringify(REQUIREMENTS), 7],
  ['EDGE_WORKERS_PRODUCT_NAMES', 'edgeWorkerProducts', 'a, b', ['a', 'b']],
  ['ENABLE_VIRTUAL_INTERFACES', 'keepsVirtualInterfaces', 'true', true],
  ['NATS_TRUST_FILE', 'bus.trustFile', '/b', '/b'],
  ['AGENT_NATS_URL', 'bus.url', 'nats://b', 'nats://b'],
  ['NATS_URL', 'bus.url', 'nats://b', 'nats://b'],
  ['NATS_CA_FILE', 'bus.caPem', __filename, readFileSync(__filename, 'utf8')],
  ['AGENT_NATS_CREDENTIALS_LIFETIME', 'bus.lifetimeMs', '7h', 7 * HOUR_MS],
];

describe('settings of the registration service', () => {
  it.each(FIELDS)('%s sets %s', (name, field, text, value) => {
    expect(readConfig(BUS)).not.toHaveProperty(field, value);
    expect(readConfig({ ...BUS, [name]: text })).toHaveProperty(field, value);
  });

  it('are all in this table', () => {
    const ofService = Object.entries(SETTINGS).filter(([, { readBy }]) =>
      readBy.some((name) => name === 'registration'),
    );
    // The host binaries are files that replace the images.
    const names = ofService.map(([name]) => name).filter((name) => name !== 'MUSTER_HOST_BINARIES');
    expect(FIELDS.map(([name]) => name).sort()).toEqual(names.sort());
  });

  it.each([
    ['8.2m', 492],
    ['2500ms', 3],
  ])('give agents the time limit of images in whole seconds, the only form that they read: %s', (text, seconds) => {
    expect(readConfig({ IMAGE_AVAILABILITY_TIMEOUT: text }).steps.imageAvailabilityTimeoutSeconds).toBe(seconds);
  });

  it('refuse a text that is not a MAC address', () => {
    expect(() => readConfig({ BOOTSTRAP_HOST_MAC: 'ens3' })).toThrow(
      'Setting BOOTSTRAP_HOST_MAC="ens3" is not valid. Expected: a MAC address such as 02:00:00:80:12:14.',
    );
  });

  it.each(HOST_TIMEOUT_TABLE.flatMap(({ env }) => env ?? []))('%s sets a timeout of hosts', (env) => {
    const expected = hostTimeouts({ [env]: 7 * HOUR_MS });
    expect(expected).not.toEqual(hostTimeouts());
    expect(readConfig({ [env]: '7h' }).hostTimeouts).toEqual(expected);
  });

  it.each(CLUSTER_TIMEOUT_TABLE.flatMap(({ env }) => env ?? []))('%s sets a timeout of clusters', (env) => {
    const expected = clusterTimeouts({ [env]: 7 * HOUR_MS });
    expect(expected).not.toEqual(clusterTimeouts());
    expect(readConfig({ [env]: '7h' }).clusterTimeouts).toEqual(expected);
  });

  it('contain the settings of operators', () => {
    const [name = ''] = operatorSettings().map((setting) => setting.name);
    expect(readConfig({}).operatorSettings).toEqual(new Map());
    expect(readConfig({ [name]: '7' }).operatorSettings).toEqual(new Map([[name, '7']]));
  });

  it.each(Object.keys(BUS))('permit hosts to use the bus only with %s', (name) => {
    expect(readConfig(BUS).bus).toBeDefined();
    expect(readConfig({ ...BUS, [name]: undefined }).bus).toBeUndefined();
  });
});

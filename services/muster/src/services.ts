import {
  attempt,
  type Environment,
  SettingError,
  type SettingName,
  SETTINGS,
  SettingsError,
  SettingsReader,
  type StartService,
} from '@muster/nest-kit';
import { isOneOf, keysOf } from '@muster/schema';
import { readEventsConfig, startEvents } from '@muster/service-events';
import { readGatewayConfig, startGateway } from '@muster/service-gateway';
import { readIgnitionConfig, startIgnition } from '@muster/service-ignition';
import { readImageConfig, startImage } from '@muster/service-image';
import { readInventoryConfig, startInventory } from '@muster/service-inventory';
import { readRegistrationConfig, startRegistration } from '@muster/service-registration';
import { readFlapPolicy, readValidationConfig, startValidation } from '@muster/service-validation';
import { StartError } from './start-error';

/** All services. The order reduces waiting at start; any other order works too. */
export const SERVICES = {
  events: startEvents,
  registration: startRegistration,
  inventory: startInventory,
  validation: startValidation,
  ignition: startIgnition,
  image: startImage,
  gateway: startGateway,
} as const satisfies Record<string, StartService>;

export type StartableService = keyof typeof SERVICES;

const READERS: Readonly<Record<StartableService, readonly ((environment: Environment) => unknown)[]>> = {
  events: [readEventsConfig],
  registration: [readRegistrationConfig],
  inventory: [readInventoryConfig],
  validation: [readValidationConfig, readFlapPolicy],
  ignition: [readIgnitionConfig],
  image: [readImageConfig],
  gateway: [readGatewayConfig],
};

/**
 * Settings that a service requires when it runs alone. Without them it would use resources that no other service
 * shares.
 */
const NEEDED_ALONE: readonly {
  readonly name: SettingName;
  readonly services?: readonly StartableService[];
  readonly expected: string;
}[] = [
  { name: 'NATS_URL', expected: 'the URL of the NATS server of all services' },
  { name: 'MUSTER_DATA_DIRECTORY', expected: 'the directory that all services share' },
  { name: 'MONGODB_URL', services: ['events', 'gateway'], expected: 'the MongoDB server with the read models' },
];

/**
 * Checks the settings of the program and of the services before anything is opened.
 * @throws SettingsError with all values that are missing or not valid
 */
export function checkSettings(environment: Environment, names: readonly StartableService[], isAlone: boolean): void {
  const settings = new SettingsReader(environment);
  for (const name of keysOf(SETTINGS)) if (isOneOf(SETTINGS[name].readBy, 'muster')) settings.get(name);
  const missing = NEEDED_ALONE.filter(
    ({ name, services }) =>
      isAlone && !settings.isSet(name) && (!services || services.some((one) => names.includes(one))),
  ).map(({ name, expected }) => new SettingError(name, '', `${expected}. A service that runs alone needs it`).message);
  const ofServices = names.flatMap((name) =>
    READERS[name].flatMap((read) => attempt(() => read(environment)).problems),
  );
  const open = names.includes('ignition') ? openBusProblems(settings) : [];
  const problems = [...new Set([...missing, ...settings.problems, ...ofServices, ...open])];
  if (problems.length > 0) throw new SettingsError(problems);
}

export const LOOPBACK = /^(localhost|127\.|\[?::1\]?$)/;

/** Without authentication every machine gets the bus credentials of hosts from the REST API. */
function openBusProblems(settings: SettingsReader): readonly string[] {
  if (settings.get('AUTH_TYPE') !== 'none' || settings.get('NATS_OPEN')) return [];
  const name = settings.isSet('NATS_URL') ? 'AGENT_NATS_URL' : 'NATS_HOST';
  const host = hostOf(settings.get(name) ?? '');
  if (host === '' || LOOPBACK.test(host)) return [];
  return [
    `Setting ${name}=${host} makes the bus reachable from other machines, and with AUTH_TYPE=none every machine gets the bus credentials of every host. Set AUTH_TYPE to another type, or ${name} to a loopback address, or NATS_OPEN=true if only trusted machines reach this service.`,
  ];
}

/**
 * Refuses a server beyond this machine that admits every client.
 * @throws StartError `settings`
 */
export function checkBusAccess(settings: SettingsReader, bus: { readonly requiresCredentials: boolean }): void {
  const host = hostOf(settings.get('NATS_URL') ?? '');
  if (bus.requiresCredentials || host === '' || LOOPBACK.test(host) || settings.get('NATS_OPEN')) return;
  throw new StartError(
    'settings',
    `The NATS server ${host} (NATS_URL) requires no credentials, so every machine that reaches it can send commands to every service. Configure authentication in the server and set NATS_CREDENTIALS_FILE, or set NATS_OPEN=true if only trusted machines reach the server.`,
  );
}

/** Returns the host and the port of a URL or of an address, without the password. */
const hostOf = (url: string): string => url.replace(/^\w+:\/\//, '').replace(/^.*@/, '');

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNatsTrust, mintServiceCredentials, natsServerConfig } from '@muster/adapter-nats';
import { embeddedSettings, eventually, startNatsServer, temporaryDirectory } from '@muster/testing';
import { startAlone, startEmbedded } from './embedded';
import { type NatsProcess, startNats } from './nats-process';
import { checkSettings } from './services';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('a bus that requires the credentials of NATS_CREDENTIALS_FILE', () => {
  jest.setTimeout(60_000);
  const directory = temporaryDirectory();
  let nats: NatsProcess;
  let bus: { readonly [name: string]: string };
  beforeAll(async () => {
    const options = { host: '127.0.0.1', port: 0, onExit: () => undefined };
    nats = await startNats({ ...options, directory: join(directory.path, 'nats') });
    const credentials = join(directory.path, 'services.creds');
    writeFileSync(credentials, nats.serviceCredentials, { mode: 0o600 });
    bus = { NATS_URL: nats.url, NATS_CREDENTIALS_FILE: credentials, NATS_TRUST_FILE: nats.trustFile };
  });
  afterAll(async () => {
    await nats.stop();
    directory.remove();
  });

  it.each([
    ['all services', (settings: Record<string, string>) => startEmbedded(settings, SILENT)],
    ['one service', (settings: Record<string, string>) => startAlone('inventory', settings, SILENT)],
  ])('admits %s', async (name, start) => {
    const muster = await start({ ...embeddedSettings(join(directory.path, name)), ...bus });
    const checks = (muster.platform.probes ?? []).map(({ check }) => check());
    expect((await Promise.all(checks)).filter((reason) => reason !== undefined)).toEqual([]);
    await muster.close();
  });

  it.each(['NATS_CREDENTIALS_FILE', 'NATS_CA_FILE'])('needs a file of %s that can be read', (name) => {
    const environment = { ...bus, MUSTER_DATA_DIRECTORY: directory.path, [name]: '/absent/file' };
    expect(() => checkSettings(environment, ['inventory'], true)).toThrow(
      `Setting ${name}="/absent/file" is not valid. Expected: the path of a file that can be read.`,
    );
  });

  it.each([
    ['an empty file', () => ''],
    ['another text', () => 'garbage\n'],
    ['a file without a key', (text: string) => text.replace(/-----BEGIN USER NKEY SEED[^]*/, '')],
    ['a file with a damaged key', (text: string) => text.replace(/\nSU\w{8}/, '\nSUAAAAAAAA')],
  ])('refuses %s before the start', (_, damaged) => {
    const file = join(directory.path, 'damaged.creds');
    writeFileSync(file, damaged(nats.serviceCredentials));
    const environment = { ...bus, MUSTER_DATA_DIRECTORY: directory.path, NATS_CREDENTIALS_FILE: file };
    expect(() => checkSettings(environment, ['inventory'], true)).toThrow(
      `Setting NATS_CREDENTIALS_FILE="${file}" is not valid. Expected: a credentials file of NATS with a user JWT and its key.`,
    );
  });

  it('accepts its own credentials before the start', () => {
    expect(() => checkSettings({ ...bus, MUSTER_DATA_DIRECTORY: directory.path }, ['inventory'], true)).not.toThrow();
  });
});

describe('credentials in NATS_CREDENTIALS_FILE that are replaced', () => {
  jest.setTimeout(60_000);
  const nowMs = Date.now();
  const [before, after] = [createNatsTrust(), createNatsTrust()];
  const credentialsOf = (trust: typeof before): string => mintServiceCredentials(trust, { name: 'services', nowMs });

  it('are used without a restart, as soon as the file is complete', async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'services.creds');
    writeFileSync(file, credentialsOf(before), { mode: 0o600 });
    const first = await startNatsServer({ config: natsServerConfig(before, { nowMs }) });
    const settings = { ...embeddedSettings(directory.path), NATS_URL: first.url, NATS_CREDENTIALS_FILE: file };
    const muster = await startAlone('inventory', settings, SILENT);
    const bus = muster.platform.probes?.find(({ part }) => part === 'bus');
    expect(await bus?.check()).toBeUndefined();

    await first.stop();
    writeFileSync(file, credentialsOf(after).slice(0, 200));
    const second = await startNatsServer({ port: first.port, config: natsServerConfig(after, { nowMs }) });
    await eventually('the outage is noticed', async () => (await bus?.check()) !== undefined);
    writeFileSync(file, credentialsOf(after));
    await eventually('the bus is used again', async () => (await bus?.check()) === undefined);
    await muster.close();
    await second.stop();
    directory.remove();
  });
});

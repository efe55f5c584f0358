import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_MESSAGE_BYTES } from '@muster/adapter-nats';
import { DamagedEvent, WriterThreadEnded } from '@muster/adapter-sqlite';
import { SettingsReader } from '@muster/nest-kit';
import { Unavailable } from '@muster/ports';
import { readIgnitionConfig } from '@muster/service-ignition';
import { readImageConfig } from '@muster/service-image';
import { temporaryDirectory } from '@muster/testing';
import { selfSigned } from '@muster/testing/registry';
import { checkBusAccess } from './bus-access';
import { checkSettings, SERVICES, type StartableService } from './services';
import { describeFailure, EXIT_CODES, StartError } from './start-error';

const ALL = Object.keys(SERVICES) as StartableService[];
const failureOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return describeFailure(error, new SettingsReader({}));
  }
  throw new Error('The check found nothing.');
};

describe('the check of settings', () => {
  it('accepts an empty environment for the embedded profile', () => {
    expect(() => checkSettings({}, ALL, false)).not.toThrow();
  });

  it('reports wrong values of all services and of the program together, once each', () => {
    const environment = {
      REST_PORT: 'x',
      IMAGE_PORT: '-1',
      LOG_FORMAT: 'xml',
      VALIDATION_FLAPPING_TURNS: '1',
      HOST_STAGE_INSTALLING_TIMEOUT: 'soon',
      AGENT_NATS_CREDENTIALS_LIFETIME: 'soon',
      MIRROR_REGISTRIES_CONF_PATH: '/does/not/exist',
      AGENT_TIMEOUT_START: 'soon',
      AUTH_TYPE: 'local',
    };
    const { reason, lines } = failureOf(() => checkSettings(environment, ALL, false));
    expect(EXIT_CODES[reason]).toBe(2);
    for (const name of Object.keys(environment).filter((one) => one !== 'AUTH_TYPE'))
      expect(lines.filter((line) => line.includes(`Setting ${name}=`))).toHaveLength(1);
    expect(lines.join('\n')).toContain('EC_PRIVATE_KEY_PEM is missing');
    expect(lines.at(-1)).toMatch(/^\d+ settings are not usable: correct all of them/);
  });

  it('reports what follows a missing issuer too', () => {
    const { lines } = failureOf(() => checkSettings({ AUTH_TYPE: 'oidc', EVENTS_PER_MINUTE_MAX: 'x' }, ALL, false));
    const reported = lines.map((line) => line.split(/[ =]/)[1]);
    expect(reported).toEqual(expect.arrayContaining(['JWKS_URL', 'EVENTS_PER_MINUTE_MAX']));
  });

  it.each([
    [{ REST_PORT: '8888' }, ['REST_PORT and IMAGE_PORT']],
    [{ HTTP_LISTEN_PORT: '8090', REST_HOST: '::', IMAGE_HOST: '::1' }, ['REST_PORT and HTTP_LISTEN_PORT']],
    [{ NATS_PORT: '8090', REST_HOST: '127.0.0.1' }, ['REST_PORT and NATS_PORT']],
    [{ REST_PORT: '9', IMAGE_PORT: '9', NATS_PORT: '9' }, ['REST_PORT and IMAGE_PORT', 'IMAGE_PORT and NATS_PORT']],
  ])('refuses one port for two endpoints of a process: %j', (environment, names) => {
    const { reason, lines } = failureOf(() => checkSettings(environment, ALL, false));
    expect(EXIT_CODES[reason]).toBe(2);
    const found = lines.filter((line) => line.includes('both'));
    expect(found).toEqual(expect.arrayContaining(names.map((pair) => expect.stringMatching(`^${pair} are both \\d+`))));
  });

  it.each([
    [{ REST_PORT: '0', IMAGE_PORT: '0', NATS_PORT: '0' }],
    [{ REST_PORT: '8888', REST_HOST: '192.0.2.1', IMAGE_HOST: '192.0.2.2' }],
    [{ REST_PORT: '8888', IMAGE_HOST: '::1' }],
    // Without a certificate, this port replaces IMAGE_PORT.
    [{ HTTP_LISTEN_PORT: '8888' }],
    [{ HTTP_LISTEN_PORT: '9999', REST_PORT: '8888' }],
    [{ NATS_PORT: '8090', NATS_URL: 'nats://127.0.0.1:8090' }],
  ])('accepts ports of endpoints that can all open: %j', (environment) => {
    expect(() => checkSettings(environment, ALL, false)).not.toThrow();
  });

  const ALONE = { NATS_URL: 'nats://127.0.0.1:1', MUSTER_DATA_DIRECTORY: '/d', MONGODB_URL: 'mongodb://127.0.0.1' };

  it('accepts a wrong port that a service alone does not read', () => {
    expect(() => checkSettings({ ...ALONE, IMAGE_PORT: 'wrong' }, ['validation'], true)).not.toThrow();
  });

  it('accepts the port of an endpoint of another process', () => {
    expect(() => checkSettings({ ...ALONE, REST_PORT: '8888' }, ['gateway'], true)).not.toThrow();
  });

  it('refuses a certificate authority of the bus without a certificate', () => {
    const environment = { NATS_CA_FILE: __filename, NATS_URL: 'tls://127.0.0.1:4222' };
    const { reason, lines } = failureOf(() => checkSettings(environment, ALL, false));
    expect(EXIT_CODES[reason]).toBe(2);
    expect(lines).toEqual([
      expect.stringMatching(/^Setting NATS_CA_FILE=.*a file of PEM certificates, but it contains no PEM block/),
    ]);
  });

  it.each([{ NATS_CERT_FILE: '/bus.pem' }, { NATS_TLS: 'off', NATS_KEY_FILE: '/bus.key' }])(
    'reports files of the bus that do not fit together with the other wrong values: %j',
    (environment) => {
      const { lines } = failureOf(() => checkSettings({ REST_PORT: 'x', ...environment }, ALL, false));
      expect(lines).toContainEqual(expect.stringMatching(/^NATS_(CERT|TLS).* NATS_CA_FILE/));
      expect(lines).toContainEqual(expect.stringMatching(/^Setting REST_PORT="x"/));
      // The child process does not run.
      const other = { ...environment, NATS_URL: 'nats://127.0.0.1:4222' };
      expect(() => checkSettings(other, ALL, false)).not.toThrow();
    },
  );

  it.each<[StartableService, readonly string[]]>([
    ['gateway', ['NATS_URL', 'MUSTER_DATA_DIRECTORY', 'MONGODB_URL']],
    ['events', ['NATS_URL', 'MUSTER_DATA_DIRECTORY', 'MONGODB_URL']],
    ['inventory', ['NATS_URL', 'MUSTER_DATA_DIRECTORY']],
  ])('reports the settings that service %s requires to run alone', (service, needed) => {
    const { lines } = failureOf(() => checkSettings({}, [service], true));
    const missing = lines.flatMap((line) => /^Setting (\w+) is missing/.exec(line)?.[1] ?? []);
    expect(missing).toEqual(needed);
  });
});

describe('a bus that other machines reach', () => {
  const OPEN = /makes the bus reachable from other machines, .* NATS_OPEN=true/;
  it.each([
    [{ NATS_HOST: '0.0.0.0' }],
    [{ NATS_HOST: '192.168.1.5', NATS_TLS: 'off' }],
    [{ NATS_URL: 'nats://127.0.0.1:4222', AGENT_NATS_URL: 'nats://bus.example.com:4222' }],
    // Names that only begin like a loopback address.
    [{ NATS_HOST: 'localhost.example.com' }],
    [{ NATS_HOST: '127.0.0.1.example.com' }],
    [{ NATS_HOST: '127-0-0-1.example.com' }],
  ])('is refused without authentication of callers: %j', (environment) => {
    const { reason, lines } = failureOf(() => checkSettings(environment, ALL, false));
    expect(EXIT_CODES[reason]).toBe(2);
    expect(lines).toEqual([expect.stringMatching(OPEN)]);
  });

  it.each([
    [{ NATS_HOST: '0.0.0.0', NATS_OPEN: 'true' }],
    [{ NATS_HOST: '127.0.0.1' }],
    [{ NATS_HOST: '127.1' }],
    [{ NATS_HOST: '::1' }],
    [{ NATS_URL: 'nats://localhost:4222', AGENT_NATS_URL: 'nats://[::1]:4222' }],
    [{ NATS_HOST: '0.0.0.0', AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: 'https://issuer.example.com' }],
    // A child process behind a forwarded port.
    [{ AGENT_NATS_URL: 'nats://bus.example.com:4222' }],
  ])('is accepted with %j', (environment) => {
    expect(() => checkSettings(environment, ALL, false)).not.toThrow();
  });

  it.each([
    ['nats://user:hidden@bus.example.com:4222', {}, false],
    ['nats://localhost:4222,nats://bus.example.com:4222', {}, false],
    ['nats://bus.example.com:4222', { NATS_OPEN: 'true' }, true],
    ['nats://localhost:4222', {}, true],
  ])('and whose server at %s requires no credentials needs NATS_OPEN, with %j', (url, environment, isAccepted) => {
    const check = (requiresCredentials: boolean) => () =>
      checkBusAccess(new SettingsReader({ NATS_URL: url, ...environment }), { requiresCredentials });
    expect(check(true)).not.toThrow();
    if (isAccepted) return expect(check(false)).not.toThrow();
    const { reason, lines } = failureOf(check(false));
    expect(EXIT_CODES[reason]).toBe(2);
    expect(lines.at(-1)).toMatch(/^The NATS server .*bus\.example\.com:4222 \(NATS_URL\) requires no credentials/);
  });

  it.each([
    [
      1_048_576,
      [expect.stringMatching(/^The NATS server bus\.example\.com:4222 .* 1048576 bytes.* max_payload to 8388608 /)],
    ],
    [MAX_MESSAGE_BYTES, []],
    [undefined, []],
  ])('and whose server accepts messages of %s bytes is named when these are too few', (maxMessageBytes, expected) => {
    const warnings: string[] = [];
    const settings = new SettingsReader({ NATS_URL: 'nats://user:hidden@bus.example.com:4222' });
    checkBusAccess(settings, { requiresCredentials: true, maxMessageBytes }, (text) => warnings.push(text));
    expect(warnings).toEqual(expected);
  });

  it.each([{}, { NATS_OPEN: 'true' }])('and whose child process another server replaces is refused with %j', (more) => {
    const settings = new SettingsReader({ NATS_URL: 'nats://127.0.0.1:4222', ...more });
    expect(() => checkBusAccess(settings, { requiresCredentials: true, isChild: true })).not.toThrow();
    const { reason, lines } = failureOf(() => checkBusAccess(settings, { requiresCredentials: false, isChild: true }));
    expect(EXIT_CODES[reason]).toBe(5);
    expect(lines.at(-1)).toMatch(/^Another NATS server, .*, listens on 127\.0\.0\.1:4222 /);
  });
});

describe('the failure of a start', () => {
  it('names the endpoint, its setting and the process that uses it', () => {
    const error = Object.assign(new Error('listen EADDRINUSE'), {
      code: 'EADDRINUSE',
      port: 8_090,
      address: '0.0.0.0',
    });
    const { reason, lines } = describeFailure(error, new SettingsReader({}));
    expect(reason).toBe('endpoint');
    expect(lines.at(-1)).toMatch(/^The address 0\.0\.0\.0:8090 \(REST_PORT\) is in use by .*, or change REST_PORT\.$/);
  });

  it.each([
    [{ NATS_HOST: '192.0.2.1' }, { code: 'EADDRNOTAVAIL', address: '192.0.2.1' }, 'NATS_HOST', 5],
    [{ REST_HOST: 'absent.example' }, { code: 'ENOTFOUND', hostname: 'absent.example' }, 'REST_HOST', 4],
    [{ IMAGE_HOST: 'a.example' }, { code: 'EADDRNOTAVAIL', address: '192.0.2.1', port: 8_888 }, 'IMAGE_HOST', 4],
  ])('names the setting of an address that is not one of this machine: %j', (environment, error, name, exitCode) => {
    const { reason, lines } = describeFailure(Object.assign(new Error('x'), error), new SettingsReader(environment));
    expect(EXIT_CODES[reason]).toBe(exitCode);
    expect(lines).toEqual([expect.stringContaining(`(${name}) is not an address of this machine. Change ${name}.`)]);
  });

  it('names the setting of a name that DNS could not resolve, because a restart may help', () => {
    const error = Object.assign(new Error('x'), { code: 'EAI_AGAIN', hostname: 'muster.example' });
    expect(describeFailure(error, new SettingsReader({ REST_HOST: 'muster.example' }))).toEqual({
      reason: 'dependency',
      lines: [
        'The name muster.example (REST_HOST) could not be resolved, because DNS did not answer. Check the DNS servers of this machine, and start again.',
      ],
    });
  });

  it('names a server that became unavailable', () => {
    const error = new Error('it failed', { cause: new Unavailable('S3 at s3.example:9000', 'ECONNREFUSED') });
    expect(describeFailure(error, new SettingsReader({}))).toEqual({
      reason: 'dependency',
      lines: [expect.stringMatching(/^S3 at s3\.example:9000 is not available: ECONNREFUSED\. Start it, or correct/)],
    });
    const ended = describeFailure(new WriterThreadEnded('it ended', {}), new SettingsReader({}));
    expect(ended.reason).toBe('failed');
  });

  it('names the damaged row of the event store, and what to restore', () => {
    const { reason, lines } = describeFailure(
      new DamagedEvent('/d/events.sqlite', 6, 'no JSON'),
      new SettingsReader({}),
    );
    expect(EXIT_CODES[reason]).toBe(3);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\/d\/events\.sqlite is damaged: table events, position 6: .*restore a backup\.$/);
  });

  it.each([
    { code: 'ENOSPC', remedy: 'Free disk space' },
    { code: 'EACCES', remedy: 'owner or permissions' },
    { code: 'ENOTDIR', remedy: 'Correct the setting with this path' },
    { code: 'ENOENT', syscall: 'mkdir', remedy: 'Correct the setting with this path' },
  ])('names the remedy for a file that cannot be used ($code)', ({ remedy, syscall = 'open', ...rest }) => {
    const path = '/d/nats/port';
    const error = Object.assign(new Error(`${rest.code}: ${syscall} '${path}'`), { ...rest, syscall, path });
    const { reason, lines } = describeFailure(error, new SettingsReader({}));
    expect(EXIT_CODES[reason]).toBe(3);
    expect(lines).toEqual([expect.stringMatching(`/d/nats/port.*${remedy}`)]);
  });

  it('has the exit reason of a start error', () => {
    expect(describeFailure(new StartError('dataDirectory', 'x'), new SettingsReader({}))).toEqual({
      reason: 'dataDirectory',
      lines: ['x'],
    });
  });

  it('has the exit code of a defect when it is unexpected', () => {
    const { reason, lines } = describeFailure(new Error('boom'), new SettingsReader({}));
    expect(EXIT_CODES[reason]).toBe(1);
    expect(lines.at(-1)).toContain('unexpected error at start: boom');
  });
});

describe('the addresses that no setting names', () => {
  const hostBinaries = temporaryDirectory();
  writeFileSync(join(hostBinaries.path, 'index.json'), JSON.stringify({ version: '1', binaries: [] }));
  afterAll(() => hostBinaries.remove());
  const KEY_FILES = {
    HTTPS_KEY_FILE: join(hostBinaries.path, 'key.pem'),
    HTTPS_CERT_FILE: join(hostBinaries.path, 'cert.pem'),
  };
  beforeAll(async () => {
    const { certPem, keyPem } = await selfSigned();
    writeFileSync(KEY_FILES.HTTPS_KEY_FILE, keyPem);
    writeFileSync(KEY_FILES.HTTPS_CERT_FILE, certPem);
  });
  it.each([
    [{}, 'http://127.0.0.1:8090', 'http://127.0.0.1:8888'],
    [{ REST_PORT: '9000', IMAGE_PORT: '9001' }, 'http://127.0.0.1:9000', 'http://127.0.0.1:9001'],
    [{ PORT: '9000', LISTEN_PORT: '9001' }, 'http://127.0.0.1:9000', 'http://127.0.0.1:9001'],
    [{ HTTP_LISTEN_PORT: '9002' }, 'http://127.0.0.1:8090', 'http://127.0.0.1:9002'],
    [{ ...KEY_FILES, SERVE_HTTPS: 'true' }, 'https://127.0.0.1:8090', 'https://127.0.0.1:8888'],
    [{ ...KEY_FILES, HTTP_LISTEN_PORT: '9002' }, 'http://127.0.0.1:8090', 'https://127.0.0.1:8888'],
  ])('are derived from the endpoints with %j', (environment, rest, image) => {
    const ignition = readIgnitionConfig({ ...environment, MUSTER_HOST_BINARIES: hostBinaries.path });
    expect(ignition.serviceBaseUrl).toBe(rest);
    expect(readImageConfig(environment).apiBaseUrl).toBe(rest);
    expect(ignition.agentExecutable?.baseUrl).toBe(`${image}/host-binaries`);
  });
});

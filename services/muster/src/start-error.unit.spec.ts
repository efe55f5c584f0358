import { connectNatsRequests, NatsUnreachable } from '@muster/adapter-nats';
import { SettingsReader } from '@muster/nest-kit';
import { Unavailable } from '@muster/ports';
import { describeFailure, reach, StartError } from './start-error';

const failing = (message: string, code?: string): Error => Object.assign(new Error(message), code ? { code } : {});

const fail = (): Promise<never> => Promise.reject(new Error('a defect'));

describe('a server that the start requires', () => {
  const reports: string[] = [];
  const options = { setting: 'MONGODB_URL', waitMs: 60_000, report: (text: string) => reports.push(text) } as const;
  beforeEach(() => void reports.splice(0));

  it('is waited for while it is not reachable', async () => {
    const errors = [failing('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), undefined];
    const open = (): Promise<string> => {
      const error = errors.shift();
      return error ? Promise.reject(error) : Promise.resolve('open');
    };
    expect(await reach(open, options)).toBe('open');
    expect(reports).toEqual(['waiting for the server of MONGODB_URL: connect ECONNREFUSED 127.0.0.1:1']);
  });

  it('ends the start when it stays unreachable, with the name of the setting', async () => {
    const open = (): Promise<never> => Promise.reject(new Error('no answer.', { cause: failing('x', 'ENOTFOUND') }));
    await expect(reach(open, { ...options, waitMs: 0 })).rejects.toThrow(
      /MONGODB_URL was not reachable for 0 s: no answer\. Start it, or correct MONGODB_URL/,
    );
  });

  it('is waited for when it answered first, with the name of its setting', async () => {
    const away = new Unavailable('MongoDB at a:1', 'no answer within 4 s');
    const answers = [() => Promise.reject(away), () => Promise.resolve('read')];
    const read = (): Promise<string> => (answers.shift() ?? fail)();
    const { waitMs, report } = options;
    expect(await reach(read, { waitMs, report })).toBe('read');
    expect(reports).toEqual([
      'waiting for the server of MONGODB_URL: MongoDB at a:1 is not available: no answer within 4 s',
    ]);
    const last = reach(() => Promise.reject(away), { waitMs: 0, report });
    await expect(last).rejects.toThrow(/^The server of MONGODB_URL was not reachable .* correct MONGODB_URL\.$/);
    await expect(reach(fail, { waitMs, report })).rejects.toThrow('a defect');
  });

  it.each([
    ['EventStoreDB at a:1', 'EVENTSTORE_URL'],
    ['MongoDB at a:1', 'MONGODB_URL'],
    ['S3 at a:1', 'MINIO_URL'],
  ])('is named with its setting when a service does not start without it: %s', (server, setting) => {
    const { reason, lines } = describeFailure(new Unavailable(server, 'reset'), new SettingsReader({}));
    const text = `${server} is not available: reset. Start it, or correct ${setting}, and try again.`;
    expect([reason, lines]).toEqual(['dependency', [text]]);
  });

  it.each([
    ['NATS_URL', () => connectNatsRequests({ servers: 'nats://user:100%@127.0.0.1:9', name: 'test' })],
    [
      'EVENTSTORE_URL',
      async () =>
        (await import('@muster/adapter-eventstoredb')).eventStoreDbEventStore({ url: 'esdb://user:100%@127.0.0.1:9' }),
    ],
    [
      'MONGODB_URL',
      async () =>
        (await import('@muster/adapter-mongodb')).mongodbReadModels({ url: 'mongodb://user:100%@127.0.0.1:9/db' }),
    ],
    [
      'MINIO_URL',
      async () => (await import('@muster/adapter-minio')).minioObjectStore({ url: 'http://key:100%@127.0.0.1:9/b' }),
    ],
  ] as const)('is not asked when the password in %s has a "%%" that starts no escape', async (setting, open) => {
    const error: unknown = await reach<unknown>(open, { ...options, setting, waitMs: 0 }).catch(
      (found: unknown) => found,
    );
    expect(error).toMatchObject({
      reason: 'settings',
      message: `The address in ${setting} has a "%" that starts no escape such as %40. Write a "%" in the user name or password as %25.`,
    });
  });

  it.each([
    ['NATS_URL', new NatsUnreachable('nats://127.0.0.1:99999', 'Invalid URL'), 'nats://127.0.0.1:99999 (Invalid URL)'],
    ['NATS_URL', new NatsUnreachable('nats://user:12secret', 'Invalid URL'), 'nats://user:*** (Invalid URL)'],
    [
      'MONGODB_URL',
      Object.assign(failing('Unable to parse user:secret with URL'), { name: 'MongoParseError' }),
      'Unable to parse user:*** with URL',
    ],
  ] as const)(
    'is not asked, and not shown a password, when %s has a malformed host: %s',
    async (setting, error, shown) => {
      const outcome = reach(() => Promise.reject(error), { ...options, setting });
      await expect(outcome).rejects.toMatchObject({
        reason: 'settings',
        message: expect.stringContaining(shown) as string,
      });
    },
  );

  it.each([
    ['NATS_URL', 'nats://127.0.0.1:99999', 'Invalid URL'],
    ['EVENTSTORE_URL', '127.0.0.1:2113', 'expected esdb:// or esdb+discover://'],
    ['EVENTSTORE_URL', 'esdb://user@name@127.0.0.1', 'more than one "@"'],
    ['EVENTSTORE_URL', 'esdb://127.0.0.1?tlsCAFile=/absent', 'File was not found'],
    ['MONGODB_URL', '127.0.0.1:27017', 'Invalid scheme'],
    ['MONGODB_URL', 'mongodb://127.0.0.1:99999', 'Unable to parse 127.0.0.1:99999'],
    ['MONGODB_URL', 'mongodb://127.0.0.1/?replicaSet', 'cannot be specified with no value'],
    ['MINIO_URL', '127.0.0.1:9000', 'http(s)://<key>:<secret>@<host>[:<port>]/<bucket>'],
    ['MINIO_URL', 'http://key:secret@127.0.0.1:1/x', 'Invalid bucket name: x'],
  ] as const)('is not asked when the address in %s is malformed: %s', async (setting, url, expected) => {
    const open = {
      NATS_URL: () => connectNatsRequests({ servers: url, name: 'test' }),
      EVENTSTORE_URL: async () => (await import('@muster/adapter-eventstoredb')).eventStoreDbEventStore({ url }),
      MONGODB_URL: async () => (await import('@muster/adapter-mongodb')).mongodbReadModels({ url }),
      MINIO_URL: async () => (await import('@muster/adapter-minio')).minioObjectStore({ url }),
    }[setting];
    const error: unknown = await reach<unknown>(open, { ...options, setting }).catch((found: unknown) => found);
    const { reason, lines } = describeFailure(error, new SettingsReader({}));
    expect([reason, lines.join('\n')]).toEqual(['settings', expect.stringContaining(expected)]);
    expect(lines.join('\n')).toMatch(
      new RegExp(`^The address in ${setting} cannot be used: .*\\. Correct ${setting}\\.$`),
    );
  });

  it('ends the start immediately when it refuses the connection, without a part of the password', async () => {
    const open = (): Promise<never> => Promise.reject(failing('bad auth for mongodb://user:hunter2@host/db'));
    const refused = reach(open, options);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(
      /refuses the connection: bad auth for mongodb:\/\/user:\*\*\*@host\/db\. Check the address and the credentials/,
    );
  });
});

describe('a file that is used instead of a server', () => {
  it.each([
    ['EACCES', 'Change its owner or permissions, and start again.'],
    ['ENOSPC', 'Free disk space, and start again.'],
  ])('is named, and not the setting of the server: %s', async (code, remedy) => {
    const open = () => Promise.reject(Object.assign(failing(`${code}: stat '/data/objects'`, code), { path: '/data' }));
    const options = { setting: 'MINIO_URL', waitMs: 0, report: () => undefined } as const;
    const error: unknown = await reach(open, options).catch((refusal: unknown) => refusal);
    expect(describeFailure(error, new SettingsReader({}))).toEqual({
      reason: 'dataDirectory',
      lines: [`A file cannot be used: ${code}: stat '/data/objects'. ${remedy}`],
    });
  });
});

describe('a database that is used instead of a server', () => {
  it('is named when the disk is full, and not the setting of the server', async () => {
    const open = () => Promise.reject(failing('database or disk is full', 'SQLITE_FULL'));
    const options = { setting: 'MONGODB_URL', waitMs: 0, report: () => undefined } as const;
    const error: unknown = await reach(open, options).catch((refusal: unknown) => refusal);
    expect(describeFailure(error, new SettingsReader({}))).toEqual({
      reason: 'dataDirectory',
      lines: ['A file cannot be used: database or disk is full. Free disk space, and start again.'],
    });
  });
});

describe('the path of a directory that is a file', () => {
  it.each(['EEXIST', 'ENOTDIR', 'ENOENT'])('is named with its remedy: %s', (code) => {
    const error = Object.assign(failing(`${code}: mkdir '/data'`, code), { path: '/data', syscall: 'mkdir' });
    expect(describeFailure(error, new SettingsReader({}))).toEqual({
      reason: 'dataDirectory',
      lines: [`A file cannot be used: ${code}: mkdir '/data'. Correct the setting with this path, and start again.`],
    });
  });
});

describe('a file that is a directory', () => {
  it('is named with its remedy', () => {
    const error = Object.assign(failing("EISDIR: open '/data/nats/port'", 'EISDIR'), { path: '/data/nats/port' });
    expect(describeFailure(error, new SettingsReader({}))).toEqual({
      reason: 'dataDirectory',
      lines: ["A file cannot be used: EISDIR: open '/data/nats/port'. Move this directory away, and start again."],
    });
  });
});

describe('an address that is in use', () => {
  it.each([
    ['1', 'Stop it, or change REST_PORT.'],
    ['2', 'HTTP_LISTEN_PORT is the same port: change one of the two.'],
  ])('is named with the other setting of the same port, when REST_PORT is %s', (port, remedy) => {
    const settings = new SettingsReader({ REST_PORT: port, HTTP_LISTEN_PORT: '2' });
    const error = Object.assign(failing('listen', 'EADDRINUSE'), { port: Number(port), address: '0.0.0.0' });
    expect(describeFailure(error, settings).lines).toEqual([
      `The address 0.0.0.0:${port} (REST_PORT) is in use by another process. ${remedy}`,
    ]);
  });
});

import { createServer } from 'node:http';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { portOf } from '@muster/nest-kit';
import {
  eventually,
  type NatsServer,
  runProgram,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
  threadFromSource,
} from '@muster/testing';
import { type ServiceThreadOrder, startInThread } from './service-thread';

const THREAD = threadFromSource(join(__dirname, 'service-thread.entry.ts'));

describe('a service in a thread', () => {
  let nats: NatsServer;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    nats = await startNatsServer();
    directory = temporaryDirectory();
  });
  afterAll(async () => {
    await nats.stop();
    directory.remove();
  });

  const entries: unknown[][] = [];
  const record = (...texts: unknown[]): void => void entries.push(texts);
  const logger = { log: record, warn: record, error: record };
  const orderOf = (environment: { readonly [name: string]: string }): ServiceThreadOrder => ({
    name: 'image',
    platform: {
      environment: { IMAGE_HOST: '127.0.0.1', IMAGE_PORT: '0', MUSTER_DATA_DIRECTORY: directory.path, ...environment },
      dataDirectory: directory.path,
      natsUrl: nats.url,
    },
  });

  it('answers requests until it is closed, and sends its log entries', async () => {
    const service = await startInThread(orderOf({}), logger, THREAD);
    const [url = ''] = service.endpoints;
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    await eventually('the log entries are here', () => entries.some(([text]) => /started/.test(String(text))));
    await service.close();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('names the setting of an address that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const starting = startInThread(orderOf({ IMAGE_PORT: String(portOf(other)) }), logger, THREAD);
    await expect(starting).rejects.toMatchObject({
      name: 'StartError',
      reason: 'endpoint',
      message: expect.stringMatching(/\(IMAGE_PORT\) is in use/) as string,
    });
    expect(entries).toContainEqual([expect.stringMatching(/EADDRINUSE/), undefined, expect.any(String)]);
    other.close();
  });

  it('fails to start when the thread ends before it has started', async () => {
    const entry = join(directory.path, 'exits.js');
    writeFileSync(entry, 'process.exit(7)');
    const starting = startInThread(orderOf({}), logger, { entry, execArgv: [] });
    await expect(starting).rejects.toThrow('The thread of the service image ended: exit code 7');
  });

  it('has a smaller part of the memory for new objects than the main thread', async () => {
    const entry = join(directory.path, 'limits.js');
    writeFileSync(entry, "process.exit(require('node:worker_threads').resourceLimits.maxYoungGenerationSizeMb)");
    const starting = startInThread(orderOf({}), logger, { entry, execArgv: [] });
    await expect(starting).rejects.toThrow('The thread of the service image ended: exit code 24');
  });

  it('does not change the exit code of a process that ends while databases are opened', async () => {
    const source = JSON.stringify(join(__dirname, 'service-thread.ts'));
    const [entry, program] = [join(directory.path, 'opens.js'), join(directory.path, 'exits-early.js')];
    writeFileSync(
      entry,
      `const { parentPort, workerData } = require('node:worker_threads');
       const Database = require(${JSON.stringify(require.resolve('libsql'))});
       require(${source}).parkOnRequest(parentPort, workerData.parked);
       let opened = 0;
       const open = () => {
         new Database(workerData.platform.dataDirectory + '/' + (opened++ % 8)).prepare('SELECT 1').get();
         setImmediate(open);
       };
       open();
       parentPort.postMessage({ kind: 'started', endpoints: [] });`,
    );
    writeFileSync(
      program,
      `const { startInThread } = require(${source});
       const order = { name: 'image', platform: { dataDirectory: process.argv[2] } };
       void startInThread(order, console, { entry: ${JSON.stringify(entry)} }).then(() => {
         setTimeout(() => process.exit(3), Number(process.argv[3]));
       });`,
    );
    const codes: (number | null)[] = [];
    for (let n = 0; n < 3; n += 1)
      codes.push((await runProgram(program, [directory.path, String(n * 40)]).ended()).code);
    expect(codes).toEqual(Array(3).fill(3));
  }, 120_000);

  it('names the service whose thread ends by itself', async () => {
    const entry = join(directory.path, 'ends.js');
    writeFileSync(
      entry,
      `require('node:worker_threads').parentPort.postMessage({ kind: 'started', endpoints: [] });
       setTimeout(() => { throw new Error('a defect'); }, 10);`,
    );
    const errors: Error[] = [];
    await startInThread(orderOf({}), logger, { entry, execArgv: [], onEnded: (error) => errors.push(error) });
    await eventually('the end is reported', () => errors.length > 0);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The thread of the service image ended: Error: a defect/),
    ]);
  });
});

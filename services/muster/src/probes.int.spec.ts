import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { connectNatsRequests } from '@muster/adapter-nats';
import { AppendTooLarge, type EventStore } from '@muster/ports';
import { eventToAppend, startNatsServer, temporaryDirectory } from '@muster/testing';
import { busProbe, diskProbe, realSurroundings, storeProbe } from './probes';

describe('a probe', () => {
  it('of the bus fails when the server is unavailable', async () => {
    const server = await startNatsServer();
    const requests = await connectNatsRequests({ servers: server.url, name: 'probe' });
    const { check } = busProbe(requests);
    expect(await check()).toBeUndefined();
    process.kill(server.pid, 'SIGSTOP');
    expect(await check()).toBe('the bus (NATS_URL) does not answer: no answer within 2 s');
    process.kill(server.pid, 'SIGCONT');
    await server.stop();
    expect(await check()).toMatch(/^the bus \(NATS_URL\) does not answer: /);
    await requests.close();
  });

  it('of the event store fails after a failed append until one succeeds', async () => {
    const inMemory = inMemoryEventStore();
    const full = new Error('the disk is full');
    const results = [() => Promise.reject(full), inMemory.append.bind(inMemory)];
    const broken: EventStore = { ...inMemory, append: (...append) => (results.shift() ?? inMemory.append)(...append) };
    const { store, probe } = storeProbe(broken);
    expect(await probe.check()).toBeUndefined();
    await expect(store.append('note-1', -1, [eventToAppend()])).rejects.toThrow(full);
    expect(await probe.check()).toBe('the last append failed: the disk is full');
    await store.append('note-1', -1, [eventToAppend()]);
    expect(await probe.check()).toBeUndefined();
  });

  it('of the event store does not fail after events that the store does not accept', async () => {
    const inMemory = inMemoryEventStore();
    const tooLarge = new AppendTooLarge('note-1', 1_024);
    const { store, probe } = storeProbe({ ...inMemory, append: () => Promise.reject(tooLarge) });
    await expect(store.append('note-1', -1, [eventToAppend()])).rejects.toThrow(tooLarge);
    expect(await probe.check()).toBeUndefined();
  });

  it('of the event store fails when the head cannot be read', async () => {
    const { probe } = storeProbe({ ...inMemoryEventStore(), head: () => Promise.reject(new Error('gone')) });
    expect(await probe.check()).toBe('the event store does not answer: gone');
  });

  it('of the disk fails below the reserve, and without the directory', async () => {
    const directory = temporaryDirectory();
    expect(await diskProbe(directory.path, 0).check()).toBeUndefined();
    expect(await diskProbe(directory.path, Number.MAX_SAFE_INTEGER).check()).toMatch(/MiB left, less than the reserve/);
    directory.remove();
    expect(await diskProbe(directory.path, 0).check()).toMatch(
      `the disk of ${directory.path} cannot be examined: ENOENT: no such file or directory`,
    );
  });
});

describe('a directory that the service needs', () => {
  const { canWrite } = realSurroundings({});

  it('can be created or written, and nothing is left there', async () => {
    const { path, remove } = temporaryDirectory();
    writeFileSync(join(path, 'file'), '');
    const names = ['.', 'a/new/directory', 'file', 'file/below'];
    expect(await Promise.all(names.map((name) => canWrite(join(path, name))))).toEqual([true, true, false, false]);
    expect(readdirSync(path)).toEqual(['file']);
    remove();
  });

  it.each(['/proc', '/proc/work'])('is refused where even root cannot create a file: %s', async (path) => {
    expect(await canWrite(path)).toBe(false);
  });
});

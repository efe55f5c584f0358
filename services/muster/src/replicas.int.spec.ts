import { join } from 'node:path';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { type GrpcStore, startGrpcStore } from '@muster/testing/grpc-store';
import { type RunningMuster, startAlone } from './embedded';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('replicas of the image service with one data directory', () => {
  const directory = temporaryDirectory();
  const running: RunningMuster[] = [];
  let store: GrpcStore;
  let bus: NatsServer;
  beforeAll(async () => {
    [store, bus] = await Promise.all([startGrpcStore(), startNatsServer()]);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((muster) => muster.close()));
  });
  afterAll(async () => {
    await store.close();
    await bus.stop();
    directory.remove();
  });

  /** Returns the directory in which the replica stores downloaded images. */
  const start = async (environment: { readonly [name: string]: string } = {}): Promise<string | undefined> => {
    const muster = await startAlone(
      'image',
      {
        MUSTER_DATA_DIRECTORY: directory.path,
        EVENTSTORE_URL: store.url,
        NATS_URL: bus.url,
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: '0',
        ...environment,
      },
      SILENT,
    );
    running.push(muster);
    return muster.platform.environment['DATA_DIR'];
  };

  it('download images to a directory of their own, which is used again after a restart', async () => {
    const images = join(directory.path, 'base-images');
    expect(await start()).toBe(images);
    expect(await start()).toBe(join(images, 'replica-2'));
    await running.shift()?.close();
    expect(await start()).toBe(images);
  });

  it('do so in the directory of DATA_DIR', async () => {
    const images = join(directory.path, 'other');
    expect(await start({ DATA_DIR: images })).toBe(images);
    expect(await start({ DATA_DIR: images })).toBe(join(images, 'replica-2'));
  });

  it('need no directory when they read images in place', async () => {
    expect(await start({ OS_IMAGES_FETCH: 'stream' })).toBeUndefined();
  });
});

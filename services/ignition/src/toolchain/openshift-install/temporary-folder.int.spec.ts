import { chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import { SettingsReader } from '@muster/nest-kit';
import { INSTALLER_UID, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { readRegistries } from '../../service-registries';
import { InstallerBinaries, readOpenshiftInstallSettings } from './installer-binaries';

const WANTED = {
  releaseImage: 'registry.example.com/release:4.18.3',
  pullSecret: '',
  openshiftVersion: '4.18.3',
  isFips: false,
  caPem: '',
  mirrors: [],
};
const FOREIGN = /muster-ignition is not a directory of the user that runs the service.*Remove it or set WORK_DIR/;

describe('the default of WORK_DIR, in a directory where each user may create it', () => {
  let directory: TemporaryDirectory;
  let folder: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    jest.spyOn(os, 'tmpdir').mockReturnValue(directory.path);
    folder = join(directory.path, 'muster-ignition');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    directory.remove();
  });

  const installer = (environment = {}): Promise<unknown> => {
    const settings = new SettingsReader({ OPENSHIFT_INSTALL_PATH: '/usr/bin/env', ...environment });
    return new InstallerBinaries(readOpenshiftInstallSettings(settings, readRegistries(settings))).of(WANTED);
  };

  it('is created for the user of the service, and used again', async () => {
    await installer();
    await expect(installer()).resolves.toEqual({ installer: '/usr/bin/env' });
    expect(statSync(folder).mode & 0o022).toBe(0);
  });

  it('is refused when it is a link or a file', async () => {
    mkdirSync(join(directory.path, 'elsewhere'));
    symlinkSync(join(directory.path, 'elsewhere'), folder);
    await expect(installer()).rejects.toThrow(FOREIGN);
    await expect(installer({ WORK_DIR: join(directory.path, 'own') })).resolves.toBeDefined();
    directory.remove();
    mkdirSync(directory.path);
    writeFileSync(folder, '');
    await expect(installer()).rejects.toThrow(FOREIGN);
  });

  it('is another one for each installation of a user, because each removes the unused files of its cache', () => {
    const workDirectory = (environment = {}): string => {
      const settings = new SettingsReader(environment);
      return readOpenshiftInstallSettings(settings, readRegistries(settings)).workDirectory;
    };
    const own = workDirectory();
    expect(own.startsWith(`${folder}/`)).toBe(true);
    expect(workDirectory({ MUSTER_DATA_DIRECTORY: resolve('.muster') })).toBe(own);
    expect(workDirectory({ MUSTER_DATA_DIRECTORY: '/srv/second' })).not.toBe(own);
    expect(workDirectory({ MUSTER_DATA_DIRECTORY: '/srv/second', WORK_DIR: '/srv/work' })).toBe('/srv/work');
  });

  const isRoot = process.getuid?.() === 0;
  const missing = isRoot ? '' : ' (skipped: only root can give a directory to another user)';
  (isRoot ? it : it.skip)(`is refused when another user owns it${missing}`, async () => {
    mkdirSync(folder);
    chownSync(folder, INSTALLER_UID, INSTALLER_UID);
    await expect(installer()).rejects.toThrow(FOREIGN);
  });
});

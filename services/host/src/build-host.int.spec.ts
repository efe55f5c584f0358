import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { temporaryDirectory } from '@muster/testing';

const REPOSITORY = join(__dirname, '../../..');
const SENTINEL = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const BUILD_MAX_MS = 300_000;
/** `os.arch()` → `uname -m` and the machine in the ELF header. */
const MACHINES = { x64: ['x86_64', 62], arm64: ['aarch64', 183] } as const;
const [own, foreign] = arch() === 'arm64' ? (['arm64', 'x64'] as const) : (['x64', 'arm64'] as const);
const OWN = MACHINES[own][0];
const FOREIGN = MACHINES[foreign][0];
const node = readFileSync(process.execPath);
const canBuild = process.platform === 'linux' && arch() === own && node.includes(`${SENTINEL}:0`);

interface Entry {
  readonly architecture: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}
interface Index {
  readonly version: string;
  readonly binaries: readonly Entry[];
  readonly earlier?: readonly Entry[];
}

it('npm run build:host prepares a new clone first, as npm start does', () => {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: { readonly [name: string]: string };
  };
  expect(scripts['build:host']).toMatch(/^node tools\/setup\.mjs --build && .* && node tools\/build-host\.mjs$/);
  expect(scripts['start']).toMatch(/^node tools\/setup\.mjs && .* && node tools\/build-host\.mjs --if-needed && /);
  expect(scripts['test:vm']).toMatch(/^npm run --silent build:host && /);
});

(canBuild ? describe : describe.skip)(`build-host.mjs${canBuild ? '' : ' (skipped: this Node cannot be used)'}`, () => {
  const root = temporaryDirectory();
  const out = join(root.path, 'dist/muster-host');
  const bin = join(root.path, 'bin');
  /** The program prints its version, as the agent reads it. */
  const program = `console.log('version', require('node:sea').getAsset('version', 'utf8'));`;
  /** A repository without npm: a Node executable is there only where a test puts one. */
  beforeAll(() => {
    for (const folder of ['tools', 'services/host/dist', 'node_modules', 'bin'])
      mkdirSync(join(root.path, folder), { recursive: true });
    copyFileSync(join(REPOSITORY, 'tools/build-host.mjs'), join(root.path, 'tools/build-host.mjs'));
    for (const name of ['esbuild', 'postject'])
      symlinkSync(join(REPOSITORY, 'node_modules', name), join(root.path, 'node_modules', name));
    writeFileSync(join(root.path, 'services/host/dist/main.js'), program);
  });
  beforeEach(() => {
    rmSync(out, { recursive: true, force: true });
    rmSync(join(root.path, 'node_modules/.cache'), { recursive: true, force: true });
  });
  afterAll(() => root.remove());

  const run = (options: readonly string[], environment: { readonly [name: string]: string } = {}, by?: string) => {
    const { stdout, stderr, status } = spawnSync(
      by ?? process.execPath,
      [join(root.path, 'tools/build-host.mjs'), ...options],
      { encoding: 'utf8', env: { PATH: bin, ...environment } },
    );
    return { status, output: stdout + stderr };
  };
  /** Puts a Node executable where the program looks for that of the package. */
  const givenPackagedNode = (name: string, content: Buffer): void => {
    const version = process.version.slice(1);
    const folder = join(root.path, `node_modules/.cache/muster-host/node-linux-${name}-${version}/package/bin`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'node'), content, { mode: 0o755 });
  };
  const givenEntry = (architecture: string, file: string): Entry => {
    mkdirSync(out, { recursive: true });
    for (const suffix of ['', '.gz']) writeFileSync(join(out, file + suffix), file);
    return { architecture, file, sha256: createHash('sha256').update(file).digest('hex'), bytes: file.length };
  };
  const givenIndex = (index: Index): void => writeFileSync(join(out, 'index.json'), JSON.stringify(index));
  const readIndex = () => JSON.parse(readFileSync(join(out, 'index.json'), 'utf8')) as Required<Index>;
  /** Another Node executable that works, but has no place for a program, as Node of some distributions. */
  const nodeWithoutPlace = (): string => {
    const path = join(bin, 'node');
    const content = Buffer.from(node);
    content.write('X', content.indexOf(`${SENTINEL}:0`));
    writeFileSync(path, content, { mode: 0o755 });
    return path;
  };

  it(
    'keeps the executables that it replaces by their digests, and all architectures of the last build',
    () => {
      const foreignNode = Buffer.from(node);
      foreignNode.writeUInt16LE(MACHINES[foreign][1], 18);
      givenPackagedNode(foreign, foreignNode);
      const [last, second, third, fourth, lastForeign] = [
        givenEntry(OWN, `muster-host-${OWN}`),
        givenEntry(OWN, 'second'),
        givenEntry(OWN, 'third'),
        givenEntry(OWN, 'fourth'),
        givenEntry(FOREIGN, `muster-host-${FOREIGN}`),
      ];
      givenIndex({ version: 'old', binaries: [last, lastForeign], earlier: [second, third, fourth] });

      expect(run(['--if-needed'])).toMatchObject({ status: 0 });
      const { binaries, earlier, version } = readIndex();
      expect(binaries.map(({ architecture }) => architecture).sort()).toEqual([OWN, FOREIGN].sort());
      expect(earlier).toEqual([last, lastForeign, second, third]);
      for (const { bytes, file, sha256 } of binaries) {
        const content = readFileSync(join(out, file));
        expect(file).toContain(sha256.slice(0, 12));
        expect(content).toHaveLength(bytes);
        expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
        expect(gunzipSync(readFileSync(join(out, `${file}.gz`))).equals(content)).toBe(true);
      }
      const built = binaries.find(({ architecture }) => architecture === OWN)?.file ?? '';
      expect(execFileSync(join(out, built), { encoding: 'utf8' })).toBe(`version muster-host:${version}\n`);
      for (const { file } of earlier) expect(existsSync(join(out, file))).toBe(true);
      expect(existsSync(join(out, fourth.file)) || existsSync(join(out, `${fourth.file}.gz`))).toBe(false);

      const before = readFileSync(join(out, 'index.json'), 'utf8');
      expect(run(['--if-needed'])).toEqual({ status: 0, output: '' });
      expect(readFileSync(join(out, 'index.json'), 'utf8')).toBe(before);
    },
    BUILD_MAX_MS,
  );

  it(
    'uses the packaged Node when the running one cannot contain a program, and reads an index without a list of earlier ones',
    () => {
      givenPackagedNode(own, node);
      const last = givenEntry(OWN, `muster-host-${OWN}`);
      givenIndex({ version: 'old', binaries: [last] });
      expect(run([], {}, nodeWithoutPlace())).toMatchObject({ status: 0 });
      const { binaries, earlier, version } = readIndex();
      expect(execFileSync(join(out, binaries[0]?.file ?? ''), { encoding: 'utf8' })).toBe(
        `version muster-host:${version}\n`,
      );
      expect(earlier).toEqual([last]);
    },
    BUILD_MAX_MS,
  );

  it(
    'does not prevent a start when no Node executable can be had',
    () => {
      const by = nodeWithoutPlace();
      const { output, status } = run(['--if-needed'], {}, by);
      expect(status).toBe(0);
      expect(output).toContain(`${by} cannot contain a program`);
      expect(output).toContain(`hosts of ${OWN} need container images (AGENT_DOCKER_IMAGE`);
      expect(existsSync(join(out, 'index.json'))).toBe(false);
      expect(run([], {}, by).status).toBe(1);
    },
    BUILD_MAX_MS,
  );

  it('keeps the last build when it cannot make another', () => {
    const last = givenEntry(FOREIGN, `muster-host-${FOREIGN}`);
    givenIndex({ version: 'old', binaries: [last] });
    const { output, status } = run(['--if-needed'], { MUSTER_HOST_ARCHITECTURES: FOREIGN });
    expect(status).toBe(0);
    expect(output).toContain(`hosts of ${FOREIGN} get the executable of the last build, which is outdated.`);
    expect(readIndex()).toEqual({ version: 'old', binaries: [last] });
  });

  it('refuses an unknown architecture with those that exist', () => {
    const { output, status } = run([], { MUSTER_HOST_ARCHITECTURES: `${OWN}, riscv` });
    expect(status).toBe(1);
    expect(output).toContain('Architecture "riscv" is not known. Known: x86_64, aarch64, ppc64le, s390x.');
  });
});

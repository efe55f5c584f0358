import type { IgnitionConfig } from '@muster/ignition-config';
import { checkDiscoveryRoot, checkNodeRoot, ENCAPSULATED_PATH } from './check-roots';
import { applyIgnition, createScratchRoots } from './scratch-roots';

const roots = createScratchRoots();
afterAll(() => roots.remove());
const applied = (config: Omit<IgnitionConfig, 'ignition'>): string => {
  const root = roots.fresh('a', 'live');
  applyIgnition({ ignition: { version: '3.2.0' }, ...config }, root);
  return root;
};
const agent = (enabled: boolean) => ({
  units: [{ name: 'agent.service', enabled, contents: '[Service]\nExecStartPre=/usr/local/bin/agent-pull-image\n' }],
});
const named = (name: string) => ({ path: '/etc/hostname', contents: { source: `data:,${name}` } });
const pool = { path: ENCAPSULATED_PATH };

describe('a live system', () => {
  it.each([
    ['starts no agent', {}],
    ['is not enabled', { systemd: agent(false) }],
    ['needs /usr/local/bin/agent-pull-image', { systemd: agent(true) }],
  ])('is refused when the agent %s', (reason, config) => {
    expect(() => checkDiscoveryRoot(applied(config))).toThrow(reason);
  });

  it('passes with all programs that the agent needs', () => {
    const storage = { files: [{ path: '/usr/local/bin/agent-pull-image' }] };
    expect(() => checkDiscoveryRoot(applied({ systemd: agent(true), storage }))).not.toThrow();
  });
});

describe('an installed system', () => {
  it.each([
    ['has no name', { storage: { files: [pool] } }],
    ['has no name', { storage: { files: [pool, named('localhost')] } }],
    ['did not get the configuration of its pool', { storage: { files: [named('a')] } }],
  ])('that %s is refused', (reason, config) => {
    expect(() => checkNodeRoot(applied(config))).toThrow(reason);
  });

  it('passes with a name and the configuration of its pool', () => {
    expect(() => checkNodeRoot(applied({ storage: { files: [pool, named('worker-0.example.com')] } }))).not.toThrow();
  });
});

import { rootCertificates } from 'node:tls';
import { type InfraEnvSettings, type Plain, toStoredData } from '@muster/contracts';
import { findGaps, findInputMismatches, findOverlaps, type Refusal } from '@muster/decision';
import { PROBLEMS } from '@muster/problems';
import { afterCommands, givenState } from '@muster/testing';
import type { InfraEnvCommand } from './commands';
import { INFRA_ENV_TABLE, infraEnvDecider } from './decider';
import { INFRA_ENV_INPUT_RULES, trustBundleProblem } from './input';
import { type InfraEnvState, initialInfraEnvState } from './state';

type Settings = Plain<InfraEnvSettings>;
const AT = '2026-01-01T00:00:00.000Z';
const register = (settings: Settings = {}): InfraEnvCommand => ({
  type: 'Register',
  infraEnvId: 'e1',
  settings: { name: 'lab', ...settings },
  owner: { userName: 'admin', orgId: '', emailDomain: '' },
  pullSecretSet: true,
  at: AT,
});
const revise = (changes: Settings, pullSecretReplaced = false): InfraEnvCommand => ({
  type: 'Revise',
  changes,
  pullSecretReplaced,
  at: AT,
});
const ROTATE: InfraEnvCommand = { type: 'RotateSigningKey', at: AT };
const deregister = (hostCount: number): InfraEnvCommand => ({ type: 'Deregister', hostCount, at: AT });

const when = (state: InfraEnvState, command: InfraEnvCommand): { state: InfraEnvState; types: readonly string[] } => {
  const decided = givenState(infraEnvDecider, state).when(command);
  for (const event of decided.events()) toStoredData(event);
  return { state: decided.state, types: decided.events().map(({ type }) => type) };
};
const after = (...commands: readonly InfraEnvCommand[]): InfraEnvState => afterCommands(infraEnvDecider, commands);
const refusalOf = (state: InfraEnvState, command: InfraEnvCommand): Refusal =>
  givenState(infraEnvDecider, state).when(command).refusal();

const registered = after(register());
const [CERTIFICATE = ''] = rootCertificates;

describe('the decision table of the infra-env', () => {
  const { rows, variables, statuses, commands } = INFRA_ENV_TABLE;

  it('has no overlap and no gap', () => {
    expect(findOverlaps(rows)).toEqual([]);
    expect(findGaps(rows, variables, statuses, commands)).toEqual([]);
  });

  it('computes exactly the guard variables that rows name', () => {
    for (const command of [register(), revise({}), ROTATE, deregister(0)])
      expect(findInputMismatches(INFRA_ENV_TABLE, { command, state: registered, settings: undefined })).toEqual({
        missing: [],
        unused: [],
      });
  });

  it('refuses with codes of client errors', () => {
    for (const { refuse } of rows) if (refuse) expect(PROBLEMS[refuse.code].status).toBeLessThan(500);
  });
});

describe('infra-env decider', () => {
  it('registers with a full ISO for x86_64 by default', () => {
    expect(registered).toMatchObject({
      status: 'registered',
      settings: { imageType: 'full-iso', cpuArchitecture: 'x86_64' },
    });
  });

  it('stores only the changed fields of a revision', () => {
    expect(when(registered, revise({ imageType: 'minimal-iso' })).types).toEqual(['InfraEnvSettingsRevised']);
    expect(when(registered, revise({ imageType: 'full-iso' })).types).toEqual([]);
    expect(when(registered, revise({}, true)).types).toEqual(['InfraEnvSettingsRevised']);
  });

  it.each(['sshAuthorizedKey', 'openshiftVersion'] as const)('ignores an empty %s in a revision', (field) => {
    const values = {
      sshAuthorizedKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
      openshiftVersion: '4.18',
    };
    const state = after(register({ [field]: values[field] }));
    expect(when(state, revise({ [field]: '' })).types).toEqual([]);
  });

  it('clears other fields when a revision sets them to an empty text', () => {
    const state = after(register({ additionalTrustBundle: CERTIFICATE }));
    expect(when(state, revise({ additionalTrustBundle: '' })).state.settings.additionalTrustBundle).toBe('');
  });

  it('clears additional NTP sources when a revision sets NTP sources', () => {
    const state = after(register({ additionalNtpSources: 'pool.ntp.org' }), revise({ ntpSources: '10.0.0.1' }));
    expect(state.settings).toMatchObject({ ntpSources: '10.0.0.1', additionalNtpSources: '' });
  });

  it('increments the generation of the signing key at every rotation', () => {
    expect(after(register(), ROTATE, ROTATE).signingKeyGeneration).toBe(2);
  });

  it('refuses to deregister while hosts exist', () => {
    expect(refusalOf(registered, deregister(2))).toEqual({
      code: 'invalid-input',
      subject: 'hosts',
      reason: 'The infra-env still has 2 hosts. Remove them first.',
    });
    expect(when(registered, deregister(0)).state.status).toBe('deregistered');
  });

  it('returns not-found for a missing or deleted infra-env and does not reuse its id', () => {
    const gone = after(register(), deregister(0));
    for (const state of [initialInfraEnvState(), gone])
      for (const command of [revise({ name: '' }), ROTATE, deregister(0)])
        expect(refusalOf(state, command).code).toBe('not-found');
    expect(refusalOf(gone, register()).code).toBe('already-exists');
  });
});

describe('input rules of an infra-env', () => {
  const REFUSED: readonly (readonly [string, Settings])[] = [
    ['name', { name: '' }],
    ['image_type', { imageType: 'floppy' }],
    ['image_type', { imageType: 'minimal-iso', cpuArchitecture: 's390x' }],
    ['cpu_architecture', { cpuArchitecture: 'multi' }],
    ['rendezvous_ip', { rendezvousIp: '10.0.0.1' }],
    ['rendezvous_ip', { rendezvousIp: 'me', imageType: 'disconnected-iso' }],
    ['ntp_sources', { ntpSources: '10.0.0.1', additionalNtpSources: '10.0.0.2' }],
    ['ntp_sources', { ntpSources: 'a b' }],
    ['network_discovery_delay_seconds', { networkDiscoveryDelaySeconds: -1 }],
    ['additional_ntp_sources', { additionalNtpSources: '10.0.0.1,?' }],
    ['proxy.http_proxy', { proxy: { httpProxy: 'proxy:3128' } }],
    ['proxy.https_proxy', { proxy: { httpsProxy: 'socks://proxy:3128' } }],
    ['proxy.no_proxy', { proxy: { noProxy: 'http://example.com' } }],
    ['ssh_authorized_key', { sshAuthorizedKey: 'nonsense' }],
    ['kernel_arguments', { kernelArguments: '[{"operation":"think","value":"quiet"}]' }],
    ['kernel_arguments', { kernelArguments: '[{"operation":"append","value":"a b"}]' }],
    ['kernel_arguments', { kernelArguments: '[{"operation":"replace","value":"a=b"}]' }],
    ['kernel_arguments', { kernelArguments: '[{"operation":"delete","value":"quiet"}]' }],
  ];

  it.each(REFUSED)('refuse an invalid %s: %j', (subject, settings) => {
    expect(refusalOf(initialInfraEnvState(), register(settings))).toMatchObject({ code: 'invalid-input', subject });
  });

  it.each(['a=$b', 'a;b', "a='b'", 'a=ü', 'a'.repeat(1_025)])(
    'refuse the kernel argument %s, which no image could pass to the kernel',
    (value) => {
      const kernelArguments = JSON.stringify([{ operation: 'append', value }]);
      const refusal = refusalOf(initialInfraEnvState(), register({ kernelArguments }));
      expect(refusal).toMatchObject({ code: 'invalid-input', subject: 'kernel_arguments' });
      expect(refusalOf(registered, revise({ kernelArguments }))).toEqual(refusal);
      // An infra-env that has the argument from an earlier version can still be changed.
      const earlier = { ...registered, settings: { ...registered.settings, kernelArguments } };
      expect(when(earlier, revise({ additionalNtpSources: '10.0.0.1' })).types).toEqual(['InfraEnvSettingsRevised']);
    },
  );

  it('refuse kernel arguments that together are longer than the boot menus of an image allow', () => {
    const lengths = (...all: readonly number[]): Settings => ({
      kernelArguments: JSON.stringify(all.map((length) => ({ operation: 'append', value: 'a'.repeat(length) }))),
    });
    const tooLong = lengths(511, 511);
    const refusal = refusalOf(registered, revise(tooLong));
    expect(refusal).toMatchObject({ code: 'invalid-input', subject: 'kernel_arguments' });
    expect(refusal.reason).toContain('1023 characters in all');
    expect(when(registered, revise(lengths(511, 510))).types).toEqual(['InfraEnvSettingsRevised']);
    // Arguments from an earlier version, for network boot, are sent again with other changes.
    const earlier = { ...registered, settings: { ...registered.settings, ...tooLong } };
    const changes = { ...tooLong, additionalNtpSources: '10.0.0.1' };
    expect(when(earlier, revise(changes)).types).toEqual(['InfraEnvSettingsRevised']);
  });

  it('refuse a trust bundle that is longer than the v2 API allows', () => {
    expect(trustBundleProblem(CERTIFICATE.repeat(1_100))?.reason).toContain('65535 characters');
  });

  it('refuse a trust bundle that is not a list of certificates', () => {
    expect(trustBundleProblem('nonsense')?.reason).toContain('a list of PEM certificates');
    expect(trustBundleProblem(`${CERTIFICATE}\n${CERTIFICATE.slice(0, -9)}`)?.reason).toContain('block 2 of 2');
    for (const bundle of ['', CERTIFICATE.repeat(2), `# Corporate Root CA\n${CERTIFICATE}\n`])
      expect(trustBundleProblem(bundle)).toBeUndefined();
  });

  it('refuse long kernel arguments without exponential run time', () => {
    const kernelArguments = JSON.stringify([{ operation: 'append', value: `${'a'.repeat(50_000)} ` }]);
    expect(refusalOf(initialInfraEnvState(), register({ kernelArguments })).subject).toBe('kernel_arguments');
  });

  it('refuse a revision that names another cluster', () => {
    expect(refusalOf(registered, revise({ clusterId: 'c2' })).subject).toBe('cluster_id');
  });

  it('have a refused example for every field', () => {
    const shown = new Set([...REFUSED.map(([subject]) => subject), 'cluster_id']);
    expect(INFRA_ENV_INPUT_RULES.filter(({ subject }) => !shown.has(subject))).toEqual([]);
  });

  it('accept settings with every optional feature', () => {
    const settings: Settings = {
      imageType: 'disconnected-iso',
      rendezvousIp: 'fd00::1',
      kernelArguments: '[{"operation":"append","value":"rd.net.timeout.carrier=60"}]',
      additionalTrustBundle: CERTIFICATE + CERTIFICATE,
      staticNetworkConfig: { digest: 'sha256:1', bytes: 2 },
      proxy: { httpProxy: 'http://[fd00::2]:3128', httpsProxy: 'https://proxy.example.com' },
    };
    expect(when(initialInfraEnvState(), register(settings)).types).toEqual(['InfraEnvRegistered']);
  });
});

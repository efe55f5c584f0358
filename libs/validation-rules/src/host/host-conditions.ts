import type { HostConditions as HostConditionsMessage, Plain } from '@muster/contracts';
import { clusterOf, hardwareOf, type HostFacts, isBound } from '../facts/host.facts';
import { isIgnored, isPassing, NEVER_IGNORABLE_HOST_RULES } from '../rule/overrides';
import type { Outcome } from '../rule/rule';
import { installationDiskTest } from './disk.rules';
import type { HostGate, HostRule } from './host-rule';
import { HOST_RULES } from './host-rules.table';

export type HostConditions = Plain<HostConditionsMessage>;

/** Gates that a host has to pass to be `known`, beside those that have a condition of their own. */
const SUFFICIENT_GATES: readonly HostGate[] = ['known', 'disk-speed'];
const SAVE_PARTITION_ARGUMENTS = ['--save-partlabel', '--save-partindex'];

/** What the transition tables ask of a host's outcomes, ignored rules let through. */
export function hostConditions(facts: HostFacts, outcomes: readonly Outcome[]): HostConditions {
  const found = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const { ignoredHostRules } = clusterOf(facts);
  const passes = (rule: HostRule): boolean => {
    const outcome = found.get(rule.id);
    if (!outcome || isPassing(outcome)) return true;
    if (rule.toleratesPending && outcome.status === 'pending') return true;
    return isIgnored(rule.id, ignoredHostRules, NEVER_IGNORABLE_HOST_RULES);
  };
  const counting = HOST_RULES.filter((rule) => rule.inPool || isBound(facts));
  const gatePasses = (...gates: readonly HostGate[]): boolean =>
    counting.every((rule) => !gates.includes(rule.gate) || passes(rule));
  const messagesOf = (...gates: readonly HostGate[]): string[] =>
    failing(outcomes.filter(({ id }) => counting.some((rule) => rule.id === id && gates.includes(rule.gate))));

  return {
    connected: CONNECTED.every(passes),
    mediaConnected: MEDIA.every(passes),
    inventory: inventoryCondition(facts),
    minHardware: gatePasses('hardware'),
    machineCidrDefined: gatePasses('input'),
    vsphereDiskUuid: gatePasses('disk-uuid'),
    sufficientForInstall: gatePasses(...SUFFICIENT_GATES),
    diskSpeed: stepCondition(gatePasses('disk-speed'), isDiskSpeedSettled(facts)),
    images: stepCondition(gatePasses('images'), areImagesSettled(facts)),
    failingMessages: failing(outcomes),
    hardwareMessages: messagesOf('hardware'),
    inputMessages: messagesOf('input'),
    preparationMessages: messagesOf('disk-speed', 'images'),
  };
}

/** These count for every host, also those of the pool. */
const CONNECTED = HOST_RULES.filter(({ gate }) => gate === 'connection');
const MEDIA = HOST_RULES.filter(({ gate }) => gate === 'media');

function inventoryCondition(facts: HostFacts): 'none' | 'usable' | 'truncated' {
  if (!facts.hardware) return 'none';
  return facts.hardware.truncation === 'full' ? 'truncated' : 'usable';
}

const stepCondition = (passes: boolean, isSettled: boolean): 'ok' | 'unknown' | 'failed' =>
  passes ? (isSettled ? 'ok' : 'unknown') : 'failed';

/** Tested, or not to be tested: a disk with partitions to keep, or the system already runs from it. */
function isDiskSpeedSettled(facts: HostFacts): boolean {
  return (
    installationDiskTest(facts) !== undefined ||
    hardwareOf(facts).bootDeviceType === 'persistent' ||
    facts.installerArgs.some((argument) => SAVE_PARTITION_ARGUMENTS.some((save) => argument.startsWith(save)))
  );
}

/** Something was tried. Whether it was good is the rule's to say. */
const areImagesSettled = ({ images }: HostFacts): boolean => images.length > 0;

function failing(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter(({ status }) => status === 'failure')
    .map(({ message }) => message)
    .sort();
}

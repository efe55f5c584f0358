import type { HostConditions as HostConditionsMessage, Plain } from '@muster/contracts';
import { clusterOf, hardwareOf, type HostFacts, isBound } from '../facts/host.facts';
import { NEVER_IGNORABLE_HOST_RULES, passesGate } from '../rule/overrides';
import { failingIds, type Outcome } from '../rule/rule';
import { installationDiskTest } from './disk.rules';
import type { HostBlocking, HostRule } from './host-rule';
import { HOST_RULES } from './host-rules.table';

export type HostConditions = Plain<HostConditionsMessage>;

/** Gates that a host has to pass to be `known`, beside those that have a condition of their own. */
const SUFFICIENT_GATES: readonly HostBlocking[] = ['known', 'disk-speed'];
const SAVE_PARTITION_ARGUMENTS = ['--save-partlabel', '--save-partindex'];

const RULES: ReadonlyMap<string, HostRule> = new Map(HOST_RULES.map((rule) => [rule.id, rule]));
/** Hosts of the pool have few things to meet. */
const POOL_RULES: ReadonlyMap<string, HostRule> = new Map([...RULES].filter(([, { inPool }]) => inPool));

/** What the transition tables ask of a host's outcomes, ignored rules let through. */
export function hostConditions(facts: HostFacts, outcomes: readonly Outcome[]): HostConditions {
  const { ignoredHostRules } = clusterOf(facts);
  const rules = isBound(facts) ? RULES : POOL_RULES;
  const closed = new Set<HostBlocking>();
  const open: { readonly gate: HostBlocking; readonly id: string; readonly isFailing: boolean }[] = [];
  for (const outcome of outcomes) {
    const rule = rules.get(outcome.id);
    if (!rule) continue;
    const isFailing = outcome.status === 'failure';
    const isBlocking = !passesGate(outcome, rule, ignoredHostRules, NEVER_IGNORABLE_HOST_RULES);
    if (isBlocking) closed.add(rule.gate);
    if (isFailing || isBlocking) open.push({ gate: rule.gate, id: outcome.id, isFailing });
  }
  const gatePasses = (...gates: readonly HostBlocking[]): boolean => !gates.some((gate) => closed.has(gate));
  const idsOf = (isWanted: (one: (typeof open)[number]) => boolean): string[] =>
    open
      .filter(isWanted)
      .map(({ id }) => id)
      .sort();

  return {
    connected: gatePasses('connection'),
    mediaConnected: gatePasses('media'),
    inventory: inventoryCondition(facts),
    minHardware: gatePasses('hardware'),
    machineCidrDefined: gatePasses('input'),
    vsphereDiskUuid: gatePasses('disk-uuid'),
    sufficientForInstall: gatePasses(...SUFFICIENT_GATES),
    diskSpeed: stepCondition(gatePasses('disk-speed'), isDiskSpeedSettled(facts)),
    images: stepCondition(gatePasses('images'), areImagesSettled(facts)),
    failingIds: failingIds(outcomes),
    hardwareIds: idsOf(({ gate, isFailing }) => gate === 'hardware' && isFailing),
    inputIds: idsOf(({ gate }) => gate === 'input'),
    preparationIds: idsOf(({ gate }) => gate === 'disk-speed' || gate === 'images'),
    pendingIds: idsOf(({ gate, isFailing }) => gate !== 'none' && !isFailing),
  };
}

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

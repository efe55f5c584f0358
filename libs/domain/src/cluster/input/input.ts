import type { Refusal } from '@muster/problems';
import type { ClusterCommand } from '../commands';
import { mergeClusterSettings, revisionOf, withClusterDefaults } from '../settings';
import type { ClusterState } from '../state';
import { CHOICE_RULES, FEATURE_RULES } from './choice.rules';
import { IDENTITY_RULES } from './identity.rules';
import type { BrokenInput, ClusterInput, ClusterInputRule } from './input-rule';
import { NETWORK_RULES, VIP_RULES } from './network.rules';

/** All rules for user input. The first violated rule determines the refusal. */
export const CLUSTER_INPUT_RULES: readonly ClusterInputRule[] = [
  ...IDENTITY_RULES,
  ...CHOICE_RULES,
  ...NETWORK_RULES,
  ...VIP_RULES,
  ...FEATURE_RULES,
];

/** Returns a refusal that names the field, or undefined when the input of the command is valid. */
export function clusterInputRefusal(command: ClusterCommand, state: ClusterState): Refusal | undefined {
  const found = brokenInputRule(command, state);
  return found && { code: 'invalid-input', subject: found.rule.subject, ...found.broken };
}

/** Returns the first rule that the input of the command violates. */
export function brokenInputRule(
  command: ClusterCommand,
  state: ClusterState,
): { readonly rule: ClusterInputRule; readonly broken: BrokenInput } | undefined {
  const input = inputOf(command, state);
  if (!input) return undefined;
  for (const rule of CLUSTER_INPUT_RULES) {
    const isGiven = input.before === undefined || rule.fields.some((field) => input.given[field] !== undefined);
    const broken = isGiven ? rule.check(input) : undefined;
    if (broken) return { rule, broken };
  }
  return undefined;
}

function inputOf(command: ClusterCommand, state: ClusterState): ClusterInput | undefined {
  if (command.type === 'Register') {
    if (state.status !== 'unregistered') return undefined;
    const { kind, imported, requestedArchitecture, settings } = command;
    return {
      kind,
      imported,
      given: settings,
      settings: withClusterDefaults(settings, command),
      before: undefined,
      imageArchitectures: requestedArchitecture ? [requestedArchitecture] : [],
      controlPlaneHosts: [],
    };
  }
  if (command.type !== 'Revise' || state.status === 'unregistered' || state.status === 'deregistered') return undefined;
  const { changes } = revisionOf(state, command, false);
  const settings = mergeClusterSettings(state.settings, changes);
  return {
    kind: state.kind,
    imported: state.imported,
    given: command.changes,
    settings,
    before: state.settings,
    imageArchitectures: command.imageArchitectures ?? [],
    controlPlaneHosts: command.controlPlaneHosts ?? [],
  };
}

import type { DiskFormatting, HostEvent, Plain } from '@muster/contracts';
import { roleAssigned } from '../effects';
import { type ContextOf, type HostRow, refuse, type RowOn } from '../guards';
import { DISCOVERY, EDITABLE, effectiveRole, HOST_ROLES, mayBeBootstrap, statusesExcept } from '../state';

function chooseDisk({ state, command }: ContextOf<'ChooseInstallationDisk'>): readonly HostEvent[] {
  const { diskId, diskPath, byUser } = command;
  const { id, path, isChosenByPerson } = state.installationDisk;
  if (diskId === id && diskPath === path && byUser === isChosenByPerson) return [];
  return [{ type: 'InstallationDiskChosen', data: { diskId, diskPath, byUser } }];
}

const hasChange = (known: unknown, given: unknown): boolean => {
  // The value of a secret is given, which may differ from the sealed one. The event stores the id of the command.
  if (given === true) return true;
  if (typeof given !== 'object' || given === null) return given !== known;
  // The overrides are a reference to a stored body. Its digest shows whether it has changed.
  return (
    !(typeof known === 'object' && known !== null && 'digest' in known && 'digest' in given) ||
    known.digest !== given.digest
  );
};

/** Returns the list with its changes. */
function withDisks(list: string, changes: readonly Plain<DiskFormatting>[]): string {
  const skipped = new Set(list.split(',').filter((id) => id !== ''));
  for (const { diskId, skip } of changes) {
    if (skip) skipped.add(diskId);
    else skipped.delete(diskId);
  }
  return [...skipped].join(',');
}

function reviseSettings({ state, command }: ContextOf<'ReviseSettings'>): readonly HostEvent[] {
  const { disks = [], changes: given } = command;
  const present = state.settings.skipFormattingDisks ?? '';
  const list = given.skipFormattingDisks ?? present;
  const known: Readonly<Record<string, unknown>> = {
    ...state.settings,
    machineConfigPoolName: state.machineConfigPoolName,
    skipFormattingDisks: present,
    ignitionEndpointTokenSet: state.settings.ignitionEndpointTokenSet ?? false,
    ignitionEndpointHttpHeadersSet: state.settings.ignitionEndpointHttpHeadersSet ?? false,
    fencingCredentialsSet: state.settings.fencingCredentialsSet ?? false,
  };
  const merged = disks.length > 0 ? { ...given, skipFormattingDisks: withDisks(list, disks) } : given;
  const changes = Object.entries(merged).filter(
    ([name, value]) => value !== undefined && hasChange(known[name], value),
  );
  return changes.length === 0 ? [] : [{ type: 'HostSettingsRevised', data: { changes: Object.fromEntries(changes) } }];
}

function recordLogs({ state, command }: ContextOf<'RecordLogs'>): readonly HostEvent[] {
  const { logsState, body, at } = command;
  return [
    ...(body ? [{ type: 'HostLogsCollected' as const, data: { body, at } }] : []),
    ...(logsState && logsState !== state.logs.state
      ? [{ type: 'HostLogsReported' as const, data: { logsState, at } }]
      : []),
  ];
}

const ROLE_ROWS: readonly (RowOn<'AssignRole'> | RowOn<'SuggestRole'> | RowOn<'ChooseBootstrap'>)[] = [
  {
    id: 'assign-role',
    from: EDITABLE,
    on: 'AssignRole',
    when: { roleKnown: [true] },
    to: 'stay',
    why: 'The role can be changed until the installation starts.',
    emit: ({ state, command }) => roleAssigned(state, command.role),
  },
  {
    id: 'suggest-role',
    from: DISCOVERY,
    on: 'SuggestRole',
    when: { autoAssign: [true] },
    to: 'stay',
    why: 'The service suggests the role and may change it until the installation starts.',
    emit: ({ state, command }) =>
      command.role === state.suggestedRole ? [] : [{ type: 'HostRoleSuggested', data: { role: command.role } }],
  },
  {
    id: 'suggest-role-in-vain',
    from: DISCOVERY,
    on: 'SuggestRole',
    when: { autoAssign: [false] },
    to: 'stay',
    why: 'The user has set the role, so the service suggests none.',
  },
  {
    id: 'choose-bootstrap',
    from: [...DISCOVERY, 'preparing-for-installation'],
    on: 'ChooseBootstrap',
    to: 'stay',
    why: 'One control plane host runs the temporary control plane before it joins the cluster.',
    // A user may have changed its role since it was selected.
    emit: ({ state }) =>
      state.isBootstrap || !mayBeBootstrap(effectiveRole(state)) ? [] : [{ type: 'HostBootstrapChosen', data: {} }],
  },
];

const SETTING_ROWS: readonly (RowOn<'Rename'> | RowOn<'ChooseInstallationDisk'> | RowOn<'ReviseSettings'>)[] = [
  {
    id: 'rename',
    from: EDITABLE,
    on: 'Rename',
    to: 'stay',
    why: 'The hostname is written to the machine during the installation.',
    emit: ({ state, command }) =>
      command.hostname === state.requestedHostname
        ? []
        : [{ type: 'HostRenamed', data: { requestedHostname: command.hostname } }],
  },
  {
    id: 'choose-installation-disk',
    from: EDITABLE,
    on: 'ChooseInstallationDisk',
    to: 'stay',
    why: 'No disk is written before the installation starts.',
    emit: chooseDisk,
  },
  {
    id: 'confirm-installation-disk',
    from: ['installing-in-progress'],
    on: 'ChooseInstallationDisk',
    when: { byUser: [false] },
    to: 'stay',
    why: 'An inventory that arrives during the installation may change the path of the disk.',
    emit: chooseDisk,
  },
  {
    id: 'revise-settings',
    from: EDITABLE,
    on: 'ReviseSettings',
    to: 'stay',
    why: 'Settings can be changed until the installation starts.',
    emit: reviseSettings,
  },
  {
    id: 'forget-ignition-token',
    from: statusesExcept(EDITABLE),
    on: 'ReviseSettings',
    when: { forgetsToken: [true] },
    to: 'stay',
    why: 'A secret can be removed in every status.',
    emit: reviseSettings,
  },
];

const RECORD_ROWS: readonly (RowOn<'RecordLogs'> | RowOn<'Deregister'>)[] = [
  {
    id: 'record-logs',
    from: statusesExcept([]),
    on: 'RecordLogs',
    to: 'stay',
    why: 'Logs are accepted in every status.',
    emit: recordLogs,
  },
  {
    id: 'deregister',
    from: statusesExcept([]),
    on: 'Deregister',
    to: 'stay',
    why: 'A user can remove a host in every status. A machine that still runs registers as a new host.',
    emit: ({ command }) => [{ type: 'HostDeregistered', data: { at: command.at } }],
  },
];

/** Rows for the settings of a host, its role and its logs. */
export const EDIT_ROWS = [...ROLE_ROWS, ...SETTING_ROWS, ...RECORD_ROWS] as const;

const LATE_EDIT = 'This setting can be changed only before the installation starts.';
/** Rows that refuse settings after the start of the installation. */
export const EDIT_REFUSAL_ROWS: readonly HostRow[] = [
  refuse({
    id: 'assign-unknown-role',
    on: 'AssignRole',
    from: EDITABLE,
    code: 'invalid-input',
    reason: 'The role is not known. Choose one of the allowed roles.',
    when: { roleKnown: [false] },
    subject: 'host_role',
    allowed: () => HOST_ROLES,
  }),
  refuse({
    id: 'role-too-late',
    on: 'AssignRole',
    from: statusesExcept(EDITABLE),
    code: 'not-allowed-in-state',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'suggestion-too-late',
    on: 'SuggestRole',
    from: statusesExcept(DISCOVERY),
    code: 'not-allowed-in-state',
    reason: 'Roles are suggested only for bound hosts before their installation.',
  }),
  refuse({
    id: 'bootstrap-too-late',
    on: 'ChooseBootstrap',
    from: statusesExcept(DISCOVERY, ['preparing-for-installation']),
    code: 'not-allowed-in-state',
    reason: 'The bootstrap host is selected before the preparation of the hosts.',
  }),
  refuse({
    id: 'name-too-late',
    on: 'Rename',
    from: statusesExcept(EDITABLE),
    code: 'not-allowed-in-state',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'disk-too-late',
    on: 'ChooseInstallationDisk',
    from: statusesExcept(EDITABLE, ['installing-in-progress']),
    code: 'not-allowed-in-state',
    reason: LATE_EDIT,
  }),
  refuse({
    id: 'disk-being-written',
    on: 'ChooseInstallationDisk',
    from: ['installing-in-progress'],
    code: 'not-allowed-in-state',
    reason: LATE_EDIT,
    when: { byUser: [true] },
  }),
  refuse({
    id: 'settings-too-late',
    on: 'ReviseSettings',
    from: statusesExcept(EDITABLE),
    code: 'not-allowed-in-state',
    reason: LATE_EDIT,
    when: { forgetsToken: [false] },
  }),
];

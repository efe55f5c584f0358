/** From here on the host runs the new system and no agent of ours: silence means nothing. */
const AFTER_REBOOT = ['Rebooting', 'Waiting for ignition', 'Configuring', 'Joined', 'Done'];

export const isAfterReboot = (stage: string): boolean => AFTER_REBOOT.includes(stage);

/** Where the paths begin that the contract does not know. */
export const OWN_API = 'api/muster/v1';

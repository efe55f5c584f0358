/** What the contract writes for a time that has not come; clients compare this very text. */
export const UNSET_TIME = '0001-01-01T00:00:00.000Z';

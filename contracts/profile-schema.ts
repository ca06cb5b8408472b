/**
 * Which form of the store's profile this program reads. One more whenever a profile of the new form would be read
 * wrongly, or refused, by the program before.
 */
export const PROFILE_SCHEMA = 1

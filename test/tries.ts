/** What a test tries at each change, on which a day's tests spend their seconds; `nightly` where `npm run nightly` sets RMAP_TEST_SEED. */
export const tries = <T>(few: T, nightly: T): T => (process.env.RMAP_TEST_SEED === undefined ? few : nightly);

package io.cloudmw.coordinator.page;

/**
 * Upkeep on the web page.
 *
 * @param here whether this coordinator does it; otherwise the other figures are 0
 * @param underReplicatedChunks chunks with too few good copies, as last counted
 * @param counted whether all missing copies are counted
 * @param lostFiles files without any copy of a chunk
 * @param waitingTasks tasks that wait for a helper
 * @param givenTasks tasks that helpers have
 * @param copied copies made since this coordinator started
 * @param copiedBytes bytes of these
 * @param failed attempts to make a copy that failed
 * @param scrubbedCopies copies that the current or last scrub found right
 * @param badCopies copies that it found missing or corrupt
 * @param scrubbing whether the scrub is under way
 * @param scrubRounds periodic scrubs that have ended
 */
public record ShownUpkeep(
        boolean here,
        long underReplicatedChunks,
        boolean counted,
        long lostFiles,
        int waitingTasks,
        int givenTasks,
        long copied,
        long copiedBytes,
        long failed,
        long scrubbedCopies,
        long badCopies,
        boolean scrubbing,
        long scrubRounds) {
    /** The figures when another coordinator does upkeep. */
    static final ShownUpkeep ELSEWHERE = new ShownUpkeep(false, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, false, 0);
}

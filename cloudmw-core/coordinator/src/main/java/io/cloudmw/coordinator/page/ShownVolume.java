package io.cloudmw.coordinator.page;

/**
 * A volume on the web page.
 *
 * @param chunking how files are cut, for people
 * @param stores number of stores for new chunks
 * @param storesAvailable those that can be used now and are neither drained nor lost
 * @param storesLeaving stores that it leaves
 * @param target the target for reads, such as {@code p99 of 64MiB under 900ms}; empty: none
 * @param recordedReads the ended ones among the recorded reads
 * @param failedReads those of them that failed
 * @param readsInTarget those of them that were delivered in the time of the target; -1: there is no target
 */
public record ShownVolume(
        String name,
        String mode,
        String chunking,
        int replicas,
        int writeQuorum,
        int stores,
        int storesAvailable,
        int storesLeaving,
        String target,
        int recordedReads,
        int failedReads,
        int readsInTarget) {}

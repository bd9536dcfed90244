package io.cloudmw.core.placement;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import java.util.List;
import java.util.Set;

/** Whom a writer sends a chunk to. */
public final class WritePlanner {
    private WritePlanner() {}

    /**
     * The helper for one chunk: an owner of one of its disks, which then crosses no network twice; else any. Consecutive
     * chunks go to different helpers.
     *
     * @param owners of the disks the chunk was placed on, alive
     * @param live all helpers that are alive
     * @param avoid not chosen if there is another
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when no helper is alive
     */
    public static HelperId helper(ChunkId chunk, List<HelperId> owners, List<HelperAddress> live, Set<HelperId> avoid)
            throws CloudMwException {
        List<HelperId> all = live.stream().map(HelperAddress::id).toList();
        for (List<HelperId> choice : List.of(without(owners, avoid), without(all, avoid), owners, all)) {
            if (!choice.isEmpty()) {
                return choice.get((int) (chunk.index() % choice.size()));
            }
        }
        throw new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "chunk " + chunk + ": no helper is alive");
    }

    private static List<HelperId> without(List<HelperId> helpers, Set<HelperId> avoid) {
        return helpers.stream().filter(helper -> !avoid.contains(helper)).toList();
    }
}

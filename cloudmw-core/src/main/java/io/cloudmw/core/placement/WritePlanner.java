package io.cloudmw.core.placement;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whom a writer sends a chunk to. */
public final class WritePlanner {
    /**
     * A chunk on its way.
     *
     * @param helper it is sent to
     * @param stores that can take it now
     */
    public record Sent(ChunkId chunk, HelperId helper, List<Store> stores) {}

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

    /**
     * The helper for one chunk: of those the writer has not had to avoid, one that can use the most of its stores; of these an
     * owner of one of its disks, else any.
     *
     * @param stores those that the chunk is sent to
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when no helper is alive
     */
    public static HelperId helper(
            ChunkId chunk, List<Store> stores, List<HelperAddress> live, Set<HelperId> avoid, StoreReachability reach)
            throws CloudMwException {
        List<HelperAddress> near =
                live.stream().filter(helper -> !avoid.contains(helper.id())).toList();
        List<HelperAddress> asked = near.isEmpty() ? live : near;
        int most = asked.stream()
                .mapToInt(helper -> reach.count(helper.id(), stores))
                .max()
                .orElse(0);
        List<HelperAddress> able = asked.stream()
                .filter(helper -> reach.count(helper.id(), stores) == most)
                .toList();
        List<HelperId> owners = stores.stream()
                .flatMap(store -> store.owner().stream())
                .filter(owner -> able.stream().anyMatch(helper -> helper.id().equals(owner)))
                .toList();
        return helper(chunk, owners, able, avoid);
    }

    /**
     * For each store that a chunk's helper cannot use: a helper that can, if there is one.
     *
     * @param avoid helpers that the writer could not reach, which may be gone: chosen if there is no other
     */
    public static Map<StoreId, HelperId> carriers(
            Sent sent, List<HelperAddress> live, Set<HelperId> avoid, StoreReachability reach) {
        Map<StoreId, HelperId> carriers = new LinkedHashMap<>();
        for (Store store : sent.stores()) {
            if (reach.canUse(sent.helper(), store)) {
                continue;
            }
            List<HelperId> able = live.stream()
                    .map(HelperAddress::id)
                    .filter(helper -> reach.canUse(helper, store))
                    .toList();
            List<HelperId> asked = without(able, avoid).isEmpty() ? able : without(able, avoid);
            if (!asked.isEmpty()) {
                carriers.put(store.id(), asked.get((int) (sent.chunk().index() % asked.size())));
            }
        }
        return carriers;
    }

    private static List<HelperId> without(List<HelperId> helpers, Set<HelperId> avoid) {
        return helpers.stream().filter(helper -> !avoid.contains(helper)).toList();
    }
}

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

/** The chooser of the helper that a writer sends a chunk to. */
public final class WriteHelperChooser {
    /**
     * A chunk and the helper it is sent to.
     *
     * @param helper the receiving helper
     * @param stores that can take it now
     */
    public record SentChunk(ChunkId chunk, HelperId helper, List<Store> stores) {}

    private WriteHelperChooser() {}

    /**
     * The helper for one chunk: an owner of one of its disks, so that the replica there crosses no network twice; else
     * any. Consecutive chunks go to different helpers.
     *
     * @param owners the live owners of the disks the chunk was placed on
     * @param live all live helpers
     * @param avoid helpers to choose only if there is no other
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
     * The helper for one chunk: one that can use the most of its stores, among those that the writer could reach.
     * Among these an owner of one of its disks comes first.
     *
     * @param stores the stores of the chunk
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
     * The carriers for the stores that a chunk's helper cannot use: for each a helper that can, if there is one.
     *
     * @param avoid helpers that the writer could not reach, which may be gone: chosen only if there is no other
     */
    public static Map<StoreId, HelperId> carriers(
            SentChunk sent, List<HelperAddress> live, Set<HelperId> avoid, StoreReachability reach) {
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

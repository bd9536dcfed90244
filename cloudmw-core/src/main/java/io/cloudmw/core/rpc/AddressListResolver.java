package io.cloudmw.core.rpc;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A resolver of several names into one list of addresses, reported as soon as any name is resolved. Confined to the
 * channel's synchronization context, like all of gRPC's resolvers.
 */
final class AddressListResolver extends NameResolver {
    private final String authority;
    private final List<NameResolver> names;
    private final Map<Integer, StatusOr<List<EquivalentAddressGroup>>> answers = new TreeMap<>();

    AddressListResolver(String authority, List<NameResolver> names) {
        this.authority = authority;
        this.names = List.copyOf(names);
    }

    @Override
    public String getServiceAuthority() {
        return authority;
    }

    @Override
    public void start(Listener2 listener) {
        for (int index = 0; index < names.size(); index++) {
            names.get(index).start(new NameListener(index, listener));
        }
    }

    @Override
    public void refresh() {
        names.forEach(NameResolver::refresh);
    }

    @Override
    public void shutdown() {
        names.forEach(NameResolver::shutdown);
    }

    /** The listener to one name's resolver. */
    private final class NameListener extends Listener2 {
        private final int index;
        private final Listener2 all;

        NameListener(int index, Listener2 all) {
            this.index = index;
            this.all = all;
        }

        @Override
        public void onResult(ResolutionResult result) {
            Status unused = onResult2(result);
        }

        @Override
        public Status onResult2(ResolutionResult result) {
            return merge(result.getAddressesOrError());
        }

        @Override
        public void onError(Status error) {
            Status unused = merge(StatusOr.fromStatus(error));
        }

        /** Merges one name's answer. A name that was resolved before and fails now keeps its addresses. */
        private Status merge(StatusOr<List<EquivalentAddressGroup>> answer) {
            StatusOr<List<EquivalentAddressGroup>> before = answers.get(index);
            if (answer.hasValue() || before == null || !before.hasValue()) {
                answers.put(index, answer);
            }
            List<EquivalentAddressGroup> known = new ArrayList<>();
            answers.values().stream().filter(StatusOr::hasValue).forEach(of -> known.addAll(of.getValue()));
            if (!known.isEmpty()) {
                return all.onResult2(ResolutionResult.newBuilder()
                        .setAddressesOrError(StatusOr.fromValue(known))
                        .build());
            }
            if (answers.size() == names.size()) {
                all.onError(answer.getStatus());
            }
            return answer.getStatus();
        }
    }
}

package io.cloudmw.helper.page;

import io.cloudmw.coordinator.page.PageContent;
import io.cloudmw.coordinator.page.ShownCluster;
import io.cloudmw.coordinator.page.ShownRead;
import io.cloudmw.coordinator.page.ShownTimeline;
import io.cloudmw.core.error.CloudMwException;
import java.util.List;
import java.util.Optional;

/** The source of what the page shows. Safe for any thread; calls block on the catalog. */
interface PageSource {
    ShownCluster snapshot() throws CloudMwException;

    List<ShownRead> reads() throws CloudMwException;

    Optional<ShownTimeline> read(String id) throws CloudMwException;

    /** The source of a coordinator. */
    static PageSource of(PageContent content) {
        return new PageSource() {
            @Override
            public ShownCluster snapshot() throws CloudMwException {
                return content.snapshot();
            }

            @Override
            public List<ShownRead> reads() throws CloudMwException {
                return content.reads();
            }

            @Override
            public Optional<ShownTimeline> read(String id) throws CloudMwException {
                return content.read(id);
            }
        };
    }
}

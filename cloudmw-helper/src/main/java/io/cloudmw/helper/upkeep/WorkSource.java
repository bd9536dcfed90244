package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.util.List;

/** The source of upkeep tasks: the coordinator. */
@FunctionalInterface
public interface WorkSource {
    /** Reports results and takes up to {@code room} tasks; blocks for some seconds at most. */
    TaskBatch work(List<TaskResult> results, int room) throws CloudMwException;
}

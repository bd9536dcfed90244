# What AWS itself knows of a cluster. What the processes know is in their metrics (docs/metrics.md).

data "aws_region" "current" {}

locals {
  tags   = merge(var.tags, { "cloudmw:cluster" = var.name })
  region = data.aws_region.current.name
  groups = merge({ coordinator = { group = var.coordinator.group, size = var.coordinator.size } }, {
    for name, fleet in var.fleets : name => { group = fleet.group, size = fleet.size }
  })
  volumes = merge([for _, fleet in var.fleets : fleet.volumes]...)

  table_errors = {
    system-errors = {
      metric = "SystemErrors"
      what   = "DynamoDB failed requests to the catalog by its own fault. The coordinators try again; look at the AWS Health Dashboard."
    }
    throttled = {
      metric = "ThrottledRequests"
      what   = "DynamoDB throttled requests to the catalog: too many changes of one volume at once, or a limit of the account."
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "missing" {
  for_each = local.groups

  alarm_name          = "${var.name}-${each.key}-missing"
  alarm_description   = "Fewer than ${each.value.size} instances of ${each.value.group} serve. See the group's activity, and journalctl -u cloudmw-fleet on an instance."
  namespace           = "AWS/AutoScaling"
  metric_name         = "GroupInServiceInstances"
  dimensions          = { AutoScalingGroupName = each.value.group }
  statistic           = "Maximum"
  comparison_operator = "LessThanThreshold"
  threshold           = each.value.size
  period              = 60
  evaluation_periods  = var.missing_minutes
  treat_missing_data  = "breaching"
  alarm_actions       = var.alarm_actions
  ok_actions          = var.alarm_actions
  tags                = local.tags
}

resource "aws_cloudwatch_metric_alarm" "no_coordinator" {
  alarm_name          = "${var.name}-no-coordinator"
  alarm_description   = "No coordinator is ready: nothing can be written, and reads go on only with what clients know. Is the catalog's table reachable?"
  namespace           = "AWS/NetworkELB"
  metric_name         = "HealthyHostCount"
  dimensions          = { LoadBalancer = var.coordinator.load_balancer, TargetGroup = var.coordinator.target_group }
  statistic           = "Maximum"
  comparison_operator = "LessThanThreshold"
  threshold           = 1
  period              = 60
  evaluation_periods  = 1
  treat_missing_data  = "breaching"
  alarm_actions       = var.alarm_actions
  ok_actions          = var.alarm_actions
  tags                = local.tags
}

resource "aws_cloudwatch_metric_alarm" "table" {
  for_each = local.table_errors

  alarm_name          = "${var.name}-catalog-${each.key}"
  alarm_description   = each.value.what
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  evaluation_periods  = 3
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_actions
  ok_actions          = var.alarm_actions
  tags                = local.tags

  metric_query {
    id          = "total"
    expression  = "SUM(METRICS())"
    label       = each.value.metric
    return_data = true
  }

  dynamic "metric_query" {
    for_each = toset(["GetItem", "BatchGetItem", "Query", "TransactGetItems", "TransactWriteItems", "UpdateItem"])

    content {
      id = lower(metric_query.key)

      metric {
        namespace   = "AWS/DynamoDB"
        metric_name = each.value.metric
        dimensions  = { TableName = var.coordinator.table, Operation = metric_query.key }
        period      = 60
        stat        = "Sum"
      }
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "disk_stalled" {
  for_each = local.volumes

  alarm_name          = "${var.name}-disk-${each.key}"
  alarm_description   = "The volume ${each.value} of ${each.key} answers no requests. Force its detachment, or declare the store lost."
  namespace           = "AWS/EBS"
  metric_name         = "VolumeStalledIOCheck"
  dimensions          = { VolumeId = each.value }
  statistic           = "Maximum"
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  period              = 60
  evaluation_periods  = 5
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_actions
  ok_actions          = var.alarm_actions
  tags                = local.tags
}

resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = var.name

  dashboard_body = jsonencode({
    widgets = [
      for index, widget in [
        {
          title = "Instances in service"
          stat  = "Minimum"
          metrics = [
            for name in sort(keys(local.groups)) :
            ["AWS/AutoScaling", "GroupInServiceInstances", "AutoScalingGroupName", local.groups[name].group, { label = name }]
          ]
        },
        {
          title = "Processors"
          stat  = "Average"
          metrics = [
            for name in sort(keys(local.groups)) :
            ["AWS/EC2", "CPUUtilization", "AutoScalingGroupName", local.groups[name].group, { label = name }]
          ]
        },
        {
          title = "Network, sent"
          stat  = "Sum"
          metrics = [
            for name in sort(keys(local.groups)) :
            ["AWS/EC2", "NetworkOut", "AutoScalingGroupName", local.groups[name].group, { label = name }]
          ]
        },
        {
          title = "Coordinators"
          stat  = "Minimum"
          metrics = [
            ["AWS/NetworkELB", "HealthyHostCount", "TargetGroup", var.coordinator.target_group, "LoadBalancer", var.coordinator.load_balancer],
            ["AWS/NetworkELB", "ActiveFlowCount", "LoadBalancer", var.coordinator.load_balancer],
          ]
        },
        {
          title = "Catalog, time of an answer (ms)"
          stat  = "p99"
          metrics = [
            for operation in ["GetItem", "Query", "TransactWriteItems"] :
            ["AWS/DynamoDB", "SuccessfulRequestLatency", "TableName", var.coordinator.table, "Operation", operation]
          ]
        },
        {
          title = "Catalog, units"
          stat  = "Sum"
          metrics = [
            ["AWS/DynamoDB", "ConsumedReadCapacityUnits", "TableName", var.coordinator.table],
            ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", var.coordinator.table],
          ]
        },
        {
          title   = "Disks, requests waiting"
          stat    = "Average"
          metrics = [for name in sort(keys(local.volumes)) : ["AWS/EBS", "VolumeQueueLength", "VolumeId", local.volumes[name], { label = name }]]
        },
        {
          title   = "Disks, bytes read"
          stat    = "Sum"
          metrics = [for name in sort(keys(local.volumes)) : ["AWS/EBS", "VolumeReadBytes", "VolumeId", local.volumes[name], { label = name }]]
        },
        ] : {
        type   = "metric"
        x      = 12 * (index % 2)
        y      = 6 * floor(index / 2)
        width  = 12
        height = 6
        properties = {
          title   = widget.title
          region  = local.region
          view    = "timeSeries"
          period  = 60
          stat    = widget.stat
          metrics = widget.metrics
        }
      } if length(widget.metrics) > 0
    ]
  })
}

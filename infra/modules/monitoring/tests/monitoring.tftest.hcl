mock_provider "aws" {
  mock_data "aws_region" {
    defaults = { name = "eu-central-1" }
  }
}

variables {
  name          = "demo"
  alarm_actions = ["arn:aws:sns:eu-central-1:123456789012:demo"]
  coordinator = {
    group         = "demo-coordinator"
    size          = 3
    table         = "demo-catalog"
    load_balancer = "net/demo/1"
    target_group  = "targetgroup/demo/1"
  }
  fleets = {
    helpers = { group = "demo-helpers", size = 6, volumes = { h1 = "vol-1", h2 = "vol-2" } }
  }
}

run "alarms" {
  command = plan

  assert {
    condition     = aws_cloudwatch_metric_alarm.missing["helpers"].threshold == 6 && aws_cloudwatch_metric_alarm.missing["coordinator"].threshold == 3
    error_message = "missing instances raise no alarm"
  }
  assert {
    condition     = alltrue([for alarm in concat(values(aws_cloudwatch_metric_alarm.missing), values(aws_cloudwatch_metric_alarm.table), values(aws_cloudwatch_metric_alarm.disk_stalled), [aws_cloudwatch_metric_alarm.no_coordinator]) : alarm.alarm_actions == toset(var.alarm_actions) && alarm.ok_actions == toset(var.alarm_actions)])
    error_message = "an alarm tells nobody"
  }
  assert {
    condition     = aws_cloudwatch_metric_alarm.no_coordinator.treat_missing_data == "breaching"
    error_message = "no coordinator and no figure of it raises no alarm"
  }
  assert {
    condition     = toset([for alarm in aws_cloudwatch_metric_alarm.disk_stalled : alarm.dimensions.VolumeId]) == toset(["vol-1", "vol-2"])
    error_message = "a disk has no alarm"
  }
  assert {
    condition     = length(jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets) == 8
    error_message = "the dashboard lacks a widget"
  }
}

run "without_disks" {
  command = plan

  variables {
    fleets = {}
  }

  assert {
    condition     = length(jsondecode(aws_cloudwatch_dashboard.this.dashboard_body).widgets) == 6 && length(aws_cloudwatch_metric_alarm.disk_stalled) == 0
    error_message = "there are widgets or alarms of disks"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    name            = "Demo"
    alarm_actions   = ["topic"]
    missing_minutes = 0
    tags            = { "aws:x" = "y" }
    coordinator = {
      group         = "demo-coordinator"
      size          = 3
      table         = "demo-catalog"
      load_balancer = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/net/demo/1"
      target_group  = "targetgroup/demo/1"
    }
    fleets = {
      helpers = { group = "demo-helpers", size = 6, volumes = { h1 = "/dev/sdf" } }
    }
  }

  expect_failures = [
    var.name, var.alarm_actions, var.missing_minutes, var.tags, var.coordinator, var.fleets,
  ]
}

run "fleet_that_would_hide_the_coordinators_is_refused" {
  command = plan

  variables {
    fleets = {
      coordinator = { group = "demo-helpers", size = 6, volumes = {} }
    }
  }

  expect_failures = [var.fleets]
}

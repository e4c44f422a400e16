#pragma once
// Package.swift names the library to link with: a package holds it itself.
#include <yaml.h>
